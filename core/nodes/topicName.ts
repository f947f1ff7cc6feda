import { Type } from '@sinclair/typebox';

export const topicSchema = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: 249,
    pattern: '^(?!\\.{1,2}$)[A-Za-z0-9._-]+$',
    description,
    errorMessage: 'Expected the name of a topic: letters, digits, dots, _ and -, at most 249.',
  });
