import { azureBlobManifest } from './azure_blob/manifest.js';
import { duckdbManifest } from './duckdb/manifest.js';
import { gcsManifest } from './gcs/manifest.js';
import { generateManifest } from './generate/manifest.js';
import { httpManifest } from './http/manifest.js';
import { httpFilesManifest } from './http_files/manifest.js';
import { inlineManifest } from './inline/manifest.js';
import { kafkaManifest } from './kafka/manifest.js';
import { localManifest } from './local/manifest.js';
import type { Manifest } from './manifest.js';
import { mysqlManifest } from './mysql/manifest.js';
import { postgresManifest } from './postgres/manifest.js';
import { s3Manifest } from './s3/manifest.js';

/** What a connection can be of. */
const connectable: readonly Manifest[] = [
  azureBlobManifest,
  duckdbManifest,
  gcsManifest,
  httpManifest,
  httpFilesManifest,
  kafkaManifest,
  localManifest,
  mysqlManifest,
  postgresManifest,
  s3Manifest,
];

/** Every connector, those that work without a connection included. */
export const manifests: readonly Manifest[] = [generateManifest, inlineManifest, ...connectable];

export const connectionTypes: readonly string[] = connectable.map(({ id }) => id);

export const connectionManifest = (type: string): Manifest | undefined =>
  connectable.find(({ id }) => id === type);
