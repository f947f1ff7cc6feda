import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import type { Manifest } from '../manifest.js';
import { prefixSetting, reachingSettings } from '../objects/settings.js';

const config = Type.Object(
  {
    endpoint: Type.Optional(
      Type.String({
        pattern: '^https?://[^/?#@\\s]+/?$',
        maxLength: 300,
        description: 'Of a service other than AWS, such as http://minio:9000',
      }),
    ),
    region: Type.String({ pattern: '^[a-z0-9-]{1,40}$', description: 'Such as eu-central-1' }),
    bucket: Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{1,62}$' }),
    accessKeyId: Type.String({ pattern: '^[\\x21-\\x7e]{1,128}$' }),
    secretAccessKey: Type.String({ minLength: 1, maxLength: 256 }),
    sessionToken: Type.Optional(
      Type.String({
        pattern: '^[\\x21-\\x7e]+$',
        maxLength: 8192,
        description: 'Of temporary credentials',
      }),
    ),
    pathStyle: Type.Optional(
      Type.Boolean({
        description:
          'The bucket is part of the path, not of the host name; without it: where an endpoint is given',
      }),
    ),
    prefix: prefixSetting,
    ...reachingSettings,
  },
  { additionalProperties: false },
);

export type S3Config = Static<typeof config>;

export const s3Manifest: Manifest = {
  id: 's3',
  title: 'S3',
  roles: ['source', 'destination'],
  config,
  secretKeys: ['secretAccessKey', 'sessionToken'],
  capabilities: ['check', 'files', 'source.files', 'destination.files'],
  remarks: [
    'Tested with MinIO. Files become visible at once and whole; what a killed upload has left is invisible and goes by a lifecycle rule of the bucket for incomplete multipart uploads.',
    'Files in a bucket are not cut into several splits; Parquet is fetched to the worker before it is read.',
  ],
  example: {
    region: 'eu-central-1',
    bucket: 'exchange',
    accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
    secretAccessKey: '…',
    prefix: 'landing/',
  },
};
