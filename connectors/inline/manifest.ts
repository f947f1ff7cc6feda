import { Type } from '@sinclair/typebox';
import type { Manifest } from '../manifest.js';

/** Works without a connection: there is nothing to configure and nobody to reach. */
export const inlineManifest: Manifest = {
  id: 'inline',
  title: 'Inline rows',
  roles: ['source'],
  config: Type.Object({}, { additionalProperties: false }),
  secretKeys: [],
  capabilities: ['source.inline'],
  example: {},
};
