import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import type { Manifest } from '../manifest.js';
import { prefixSetting, reachingSettings } from '../objects/settings.js';

const config = Type.Object(
  {
    bucket: Type.String({ pattern: '^[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$' }),
    serviceAccountKey: Type.Optional(
      Type.String({
        minLength: 2,
        maxLength: 16384,
        description: 'The JSON key of a service account; without it: as anybody',
      }),
    ),
    endpoint: Type.Optional(
      Type.String({
        pattern: '^https?://[^/?#@\\s]+/?$',
        maxLength: 300,
        description: 'Of a service other than Google’s',
      }),
    ),
    prefix: prefixSetting,
    ...reachingSettings,
  },
  { additionalProperties: false },
);

export type GcsConfig = Static<typeof config>;

export const gcsManifest: Manifest = {
  id: 'gcs',
  title: 'Google Cloud Storage',
  roles: ['source', 'destination'],
  config,
  secretKeys: ['serviceAccountKey'],
  capabilities: ['check', 'files', 'source.files', 'destination.files'],
  remarks: [
    'Tested with fake-gcs-server. Files in a bucket are not cut into several splits; Parquet is fetched to the worker before it is read.',
  ],
  example: {
    bucket: 'exchange',
    serviceAccountKey: '{"type": "service_account", "client_email": "…", "private_key": "…"}',
    prefix: 'landing/',
  },
};
