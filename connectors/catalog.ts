import type { Manifest } from './manifest.js';
import { postgresManifest } from './postgres/manifest.js';

/** What a connection can be of. Connectors that work without a connection are not here. */
const manifests: readonly Manifest[] = [postgresManifest];

export const connectionTypes: readonly string[] = manifests.map(({ id }) => id);

export const connectionManifest = (type: string): Manifest | undefined =>
  manifests.find(({ id }) => id === type);
