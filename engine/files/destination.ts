/** `destination.files`: files that DuckDB has written, put into a store and published at once. */
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, posix, relative, sep } from 'node:path';
import type { CallContext, Column, Delivery, UndoResult } from '../../connectors/connector.js';
import type { Store } from '../../connectors/store.js';
import type { DestinationFilesConfig } from '../../core/nodes/destinationFiles.js';
import { RunFailure } from '../../core/failures.js';
import type { DuckStatement } from '../duckdb/program.js';
import { copyToFiles, heldFor, outputName } from './copyTo.js';
import type { CopyRequest } from './copyTo.js';
import { attemptPrefix, manifestKey } from './fileNames.js';
import type { Attempt } from './fileNames.js';
import { publishFiles, removeHidden, unpublish, writeJson } from './publish.js';
import type { AttemptManifest } from './publish.js';
import type { Held } from './relation.js';

export type { Attempt } from './fileNames.js';

/** What a split has come to in the store. */
export interface Uploaded {
  files: number;
  bytes: number;
}

export interface FilesDestination<Config = unknown> {
  /** Refuses what could not work. Nothing is seen before `publish`. */
  prepare(
    config: Config,
    columns: readonly Column[],
    delivery: Delivery,
    ctx: CallContext,
  ): Promise<{ formats: readonly []; publishes: true }>;
  /** How the SELECT that `copy` takes has to hold its values. */
  held(config: Config): Held;
  copy(request: CopyRequest<Config>): DuckStatement;
  /** Puts what `copy` has written where nobody sees it; `rows` is what it said it wrote. */
  upload(
    config: Config,
    delivery: Delivery,
    attempt: Attempt,
    written: { directory: string; rows: number },
    ctx: CallContext,
  ): Promise<Uploaded>;
  /** Makes the files of these attempts visible; a repeated call goes on or finds it done. */
  publish(
    config: Config,
    delivery: Delivery,
    winners: readonly Attempt[],
    ctx: CallContext,
  ): Promise<void>;
  /** Takes back what generations before the delivery's left. */
  startOver(config: Config, delivery: Delivery, ctx: CallContext): Promise<UndoResult>;
  /** Takes back everything of a delivery, published or not. */
  undo(config: Config, delivery: Delivery, ctx: CallContext): Promise<UndoResult>;
}

const refused = (message: string): RunFailure =>
  new RunFailure({ code: 'config_invalid', class: 'config', message });

/** Files below a directory, in an order that is the same for the same files. */
const filesBelow = async (directory: string): Promise<string[]> => {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)))
    .map((path) => path.split(sep).join(posix.sep))
    .sort();
};

const isOutput = (file: string): boolean =>
  file.startsWith(`${outputName}/`) || file.startsWith(`${outputName}.`);

const checkPartitions = (
  { partitionBy = [] }: DestinationFilesConfig,
  columns: readonly Column[],
): void => {
  const unknown = partitionBy.find((name) => columns.every((column) => column.name !== name));
  if (unknown !== undefined) throw refused(`partitionBy names ${unknown}, which is no column.`);
  if (columns.length > 0 && partitionBy.length === columns.length) {
    throw refused('partitionBy names all columns: none would be left for the files.');
  }
};

export const makeFilesDestination = ({
  store,
}: {
  store: Store;
}): FilesDestination<DestinationFilesConfig> => ({
  prepare: async (config, columns) => {
    checkPartitions(config, columns);
    return { formats: [], publishes: true };
  },

  held: ({ format }) => heldFor(format),

  copy: copyToFiles,

  upload: async ({ path }, delivery, attempt, { directory, rows }, ctx) => {
    const files = (await filesBelow(directory)).filter(isOutput);
    const prefix = attemptPrefix(path, delivery, attempt);
    let bytes = 0;
    for (const file of files) {
      const chunks = createReadStream(join(directory, file), { highWaterMark: 256 * 1024 });
      // The list of the files is what makes them count; it is the last to be written.
      bytes += (await store.write(`${prefix}${file}`, chunks, ctx, { durable: false })).bytes;
    }
    const manifest: AttemptManifest = { rows, files };
    await writeJson(store, manifestKey(path, delivery, attempt), manifest, ctx);
    return { files: files.length, bytes };
  },

  publish: ({ path }, delivery, winners, ctx) => publishFiles(store, path, delivery, winners, ctx),

  startOver: async ({ path }, delivery, ctx) => {
    const older = (generation: number): boolean => generation < delivery.generation;
    const undone = await unpublish(store, path, delivery, older, ctx);
    await removeHidden(store, path, delivery, older, ctx);
    return undone;
  },

  undo: async ({ path }, delivery, ctx) => {
    const undone = await unpublish(store, path, delivery, () => true, ctx);
    await removeHidden(store, path, delivery, () => true, ctx);
    return undone;
  },
});
