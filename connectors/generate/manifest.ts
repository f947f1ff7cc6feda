import { Type } from '@sinclair/typebox';
import type { Manifest } from '../manifest.js';

/** Works without a connection: there is nothing to configure and nobody to reach. */
export const generateManifest: Manifest = {
  id: 'generate',
  title: 'Generated rows',
  roles: ['source'],
  config: Type.Object({}, { additionalProperties: false }),
  secretKeys: [],
  capabilities: ['source.generate'],
  example: {},
};
