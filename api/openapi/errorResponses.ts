import { Type } from '@sinclair/typebox';
import { errorCodes } from '../../core/errors.js';
import type { ErrorCode } from '../../core/errors.js';
import type { ErrorShape } from '../family.js';
import type { JsonSchema } from '../shape.js';

const problem = Type.Object(
  {
    type: Type.String(),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    instance: Type.String({ description: 'The path that was asked for.' }),
    code: Type.String({ enum: Object.keys(errorCodes) }),
    request_id: Type.String({ description: 'Also in the header X-Request-Id, and in our logs.' }),
    errors: Type.Array(
      Type.Object({
        pointer: Type.String({
          description: 'JSON pointer into the body, or `/` and the name of a parameter.',
        }),
        code: Type.String(),
        message: Type.String(),
      }),
    ),
    details: Type.Optional(Type.Object({}, { additionalProperties: true })),
  },
  { title: 'Problem', description: 'RFC 9457.' },
);

const icebergError = Type.Object(
  {
    error: Type.Object({ message: Type.String(), type: Type.String(), code: Type.Integer() }),
  },
  { title: 'IcebergError' },
);

const oauthError = Type.Object(
  { error: Type.String(), error_description: Type.String() },
  { title: 'OAuthError' },
);

export const errorSchemas = { problem, iceberg: icebergError, oauth: oauthError };

const mediaTypes: Readonly<Record<ErrorShape, string>> = {
  problem: 'application/problem+json',
  iceberg: 'application/json',
  oauth: 'application/json',
};

const retryAfter = {
  'Retry-After': { schema: { type: 'integer' }, description: 'Seconds to wait.' },
};
const challenge = { 'WWW-Authenticate': { schema: { type: 'string' } } };

const headersOf = (status: number) => {
  if (status === 401) return { headers: challenge };
  return status === 503 || status === 429 ? { headers: retryAfter } : {};
};

export const errorResponse = (
  status: number,
  codes: readonly ErrorCode[],
  shape: ErrorShape,
  schema: JsonSchema,
) => ({
  description: codes.map((code) => `\`${code}\``).join(', '),
  ...headersOf(status),
  content: { [mediaTypes[shape]]: { schema } },
});
