import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import type { Manifest } from '../manifest.js';

const config = Type.Object(
  {
    directory: Type.String({
      pattern: '^/[^\\u0000]*$',
      maxLength: 4096,
      description:
        'Absolute path on the hosts that run workers; nothing outside of it is read or written',
    }),
  },
  { additionalProperties: false },
);

export type LocalConfig = Static<typeof config>;

export const localManifest: Manifest = {
  id: 'local',
  title: 'Local files',
  roles: ['source', 'destination'],
  config,
  secretKeys: [],
  capabilities: ['check', 'files', 'source.files', 'destination.files'],
  example: { directory: '/srv/exchange' },
};
