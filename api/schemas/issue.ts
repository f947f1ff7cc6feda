import { Type } from '@sinclair/typebox';

/** One place in a document and what is wrong there. */
export const issue = Type.Object({
  pointer: Type.String(),
  code: Type.String(),
  message: Type.String(),
});
