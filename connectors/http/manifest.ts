import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import type { Manifest } from '../manifest.js';

const secret = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 16_384, description }));

const auth = Type.Union(
  [
    Type.Object({ type: Type.Literal('none') }, { additionalProperties: false }),
    Type.Object({ type: Type.Literal('bearer') }, { additionalProperties: false }),
    Type.Object(
      { type: Type.Literal('basic'), user: Type.String({ maxLength: 1_024, pattern: '^[^:]*$' }) },
      { additionalProperties: false },
    ),
    Type.Object(
      {
        type: Type.Literal('apiKey'),
        header: Type.Optional(
          Type.String({
            pattern: '^[A-Za-z0-9_-]{1,100}$',
            default: 'X-Api-Key',
            description: 'The header that carries the key',
          }),
        ),
      },
      { additionalProperties: false },
    ),
    Type.Object(
      {
        type: Type.Literal('oauth2'),
        tokenUrl: Type.String({
          pattern: '^https?://[^\\s/?#@\\\\]+(/[^\\s#\\\\]*)?$',
          maxLength: 2_048,
        }),
        clientId: Type.String({ minLength: 1, maxLength: 1_024 }),
        scope: Type.Optional(Type.String({ maxLength: 4_096 })),
        audience: Type.Optional(Type.String({ maxLength: 2_048 })),
        credentialsIn: Type.Optional(
          Type.Union([Type.Literal('header'), Type.Literal('body')], {
            default: 'header',
            description: 'How the client shows itself to the token server',
          }),
        ),
      },
      { additionalProperties: false, description: 'Client credentials (RFC 6749)' },
    ),
  ],
  {
    discriminator: { propertyName: 'type' },
    description:
      'How requests show who they are from: {type: none}, {type: bearer} with token, ' +
      '{type: basic, user} with password, {type: apiKey, header?} with apiKey, or {type: oauth2, ' +
      'tokenUrl, clientId, scope?, audience?, credentialsIn?: header | body} with clientSecret. ' +
      'The secrets stand beside auth, not in it. Default: none',
  },
);

const config = Type.Object(
  {
    baseUrl: Type.String({
      pattern: '^https?://[^\\s/?#@\\\\]+(/[^\\s?#\\\\]*)?$',
      maxLength: 2_048,
      description: 'What all paths are below, such as https://api.example.com/v2',
    }),
    auth: Type.Optional(auth),
    token: secret('For auth bearer'),
    password: secret('For auth basic'),
    apiKey: secret('For auth apiKey'),
    clientSecret: secret('For auth oauth2'),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.String({ maxLength: 8_192 }), {
        description: 'Sent with every request; they are no place for secrets',
      }),
    ),
    rateLimit: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 10_000,
        description: 'Requests a second at most, for each split that is under way',
      }),
    ),
    timeoutSeconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 600,
        default: 60,
        description: 'How long an answer may keep one waiting',
      }),
    ),
    checkPath: Type.Optional(
      Type.String({
        maxLength: 2_048,
        description: 'What a test of the connection asks for. Default: baseUrl itself',
      }),
    ),
    caCertificate: Type.Optional(
      Type.String({
        maxLength: 65_536,
        description: 'PEM; trusted instead of the public authorities',
      }),
    ),
  },
  { additionalProperties: false },
);

export type HttpConfig = Static<typeof config>;

export const httpManifest: Manifest = {
  id: 'http',
  title: 'HTTP API',
  roles: ['source', 'destination'],
  config,
  secretKeys: ['token', 'password', 'apiKey', 'clientSecret'],
  capabilities: ['source.http', 'destination.http', 'check', 'preview'],
  remarks: [
    'Answers are JSON; numbers keep their digits. A page is at most 64 MiB, and redirects are not followed.',
    'Pages end with an empty one, never with a short one; a page or cursor that repeats fails the run. Only offset pages whose total is known are read side by side; everything else starts from the first page when it is repeated.',
    'Sending is at least once: each request has an `Idempotency-Key` that is the same when a split is repeated. Records that are refused (400, 409, 413, 422) are found by halving the batch.',
  ],
  example: {
    baseUrl: 'https://api.example.com/v2',
    auth: { type: 'bearer' },
    token: 'a-token',
    rateLimit: 10,
  },
};
