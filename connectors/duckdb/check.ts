import { access, constants } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Checked } from '../../core/browse.js';
import type { CallContext, OpenDeps } from '../connector.js';
import { inDatabase } from './database.js';
import type { DuckdbConfig } from './manifest.js';
import { quoteText } from './quote.js';

const patienceSeconds = 5;

const mayWrite = (path: string): Promise<boolean> =>
  access(path, constants.W_OK).then(
    () => true,
    () => false,
  );

/** `SELECT version()` is the engine's; a file says from which version on it can be read. */
const storageOf = (tags: unknown): string | undefined => {
  const entries = Array.isArray(tags) ? (tags as { key?: unknown; value?: unknown }[]) : [];
  const version = entries.find(({ key }) => key === 'storage_version')?.value;
  return typeof version === 'string' ? version : undefined;
};

const notesOn = async (config: DuckdbConfig, exists: boolean): Promise<string[]> => {
  const { path } = config;
  const [file, directory] = [!exists || (await mayWrite(path)), await mayWrite(dirname(path))];
  return [
    ...(exists ? [] : ['There is no such file yet: a load makes it, and nothing can be read.']),
    ...(file && directory
      ? []
      : ['The workers may not write to the file and beside it: it can be read, not loaded.']),
  ];
};

export const check = (config: DuckdbConfig, deps: OpenDeps, ctx: CallContext): Promise<Checked> =>
  inDatabase(
    config,
    deps,
    ctx,
    async (database) => {
      const notes = await notesOn(config, database.exists);
      if (!database.exists) return { serverVersion: null, notes };
      const [version, file] = await database.run('read', [
        'SELECT version()',
        `SELECT tags FROM duckdb_databases() WHERE database_name = ${quoteText(database.name)}`,
      ]);
      const engine = `DuckDB ${String(version?.rows[0]?.[0])}`;
      const storage = storageOf(file?.rows[0]?.[0]);
      return {
        serverVersion: storage === undefined ? engine : `${engine}, file of ${storage}`,
        notes,
      };
    },
    patienceSeconds,
  );
