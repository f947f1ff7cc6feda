import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import type { Manifest } from '../manifest.js';
import { prefixSetting, reachingSettings } from '../objects/settings.js';

const config = Type.Object(
  {
    account: Type.String({ pattern: '^[a-z0-9-]{3,63}$' }),
    container: Type.String({ pattern: '^([a-z0-9][a-z0-9-]{1,61}[a-z0-9]|\\$root|\\$web)$' }),
    accountKey: Type.Optional(
      Type.String({ pattern: '^[A-Za-z0-9+/]+={0,2}$', maxLength: 256, description: 'In base64' }),
    ),
    sasToken: Type.Optional(
      Type.String({
        pattern: '^\\??[\\x21-\\x7e]+$',
        maxLength: 2048,
        description: 'A shared access signature; it is used in place of an account key',
      }),
    ),
    endpoint: Type.Optional(
      Type.String({
        pattern: '^https?://[^/?#@\\s]+(/[\\w.-]+)*/?$',
        maxLength: 300,
        description: 'Of the account, where it is not <account>.blob.core.windows.net',
      }),
    ),
    prefix: prefixSetting,
    ...reachingSettings,
  },
  { additionalProperties: false },
);

export type AzureConfig = Static<typeof config>;

export const azureBlobManifest: Manifest = {
  id: 'azure_blob',
  title: 'Azure Blob Storage',
  roles: ['source', 'destination'],
  config,
  secretKeys: ['accountKey', 'sasToken'],
  capabilities: ['check', 'files', 'source.files', 'destination.files'],
  remarks: [
    'Tested with Azurite. The service cannot list from a key on: large containers are listed from the beginning of the prefix.',
    'Files in a container are not cut into several splits; Parquet is fetched to the worker before it is read.',
  ],
  example: {
    account: 'shopdata',
    container: 'exchange',
    accountKey: 'c2VjcmV0',
    prefix: 'landing/',
  },
};
