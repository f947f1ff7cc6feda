import { generateManifest } from './generate/manifest.js';
import { inlineManifest } from './inline/manifest.js';
import { localManifest } from './local/manifest.js';
import type { Manifest } from './manifest.js';
import { postgresManifest } from './postgres/manifest.js';

/** What a connection can be of. */
const connectable: readonly Manifest[] = [localManifest, postgresManifest];

/** Every connector, those that work without a connection included. */
export const manifests: readonly Manifest[] = [generateManifest, inlineManifest, ...connectable];

export const connectionTypes: readonly string[] = connectable.map(({ id }) => id);

export const connectionManifest = (type: string): Manifest | undefined =>
  connectable.find(({ id }) => id === type);
