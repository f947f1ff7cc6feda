import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import type { Manifest } from '../manifest.js';
import { reachingSettings } from '../objects/settings.js';

const config = Type.Object(
  {
    baseUrl: Type.String({
      pattern: '^https?://[^/?#@\\s]+(/[^?#\\s]*)?$',
      maxLength: 2000,
      description: 'Paths of nodes are taken below it',
    }),
    files: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 1024 }), {
        maxItems: 10_000,
        uniqueItems: true,
        description:
          'The paths that there are: HTTP has no way to ask, so wildcards match these only',
      }),
    ),
    user: Type.Optional(Type.String({ pattern: '^[^:\\u0000-\\u001f]+$', maxLength: 256 })),
    password: Type.Optional(
      Type.String({ maxLength: 1024, description: 'For Basic authentication' }),
    ),
    token: Type.Optional(
      Type.String({
        pattern: '^[\\x21-\\x7e]+$',
        maxLength: 8192,
        description: 'Sent as a Bearer token in place of user and password',
      }),
    ),
    ...reachingSettings,
  },
  { additionalProperties: false },
);

export type HttpFilesConfig = Static<typeof config>;

export const httpFilesManifest: Manifest = {
  id: 'http_files',
  title: 'Files over HTTP',
  roles: ['source'],
  config,
  secretKeys: ['password', 'token'],
  capabilities: ['check', 'files', 'source.files'],
  remarks: [
    'Only read, and only what a path names or the connection lists: web servers do not say what they hold.',
  ],
  example: { baseUrl: 'https://data.example.com/exports/', files: ['orders.csv', 'shops.csv'] },
};
