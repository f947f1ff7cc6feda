/** Two servers' databases, a directory of files and a real DuckDB: what values travel between. */
import { copyFile, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'pg';
import { makeLocalStore } from '../../../connectors/local/store.js';
import type { PostgresConfig } from '../../../connectors/postgres/manifest.js';
import { openConnector } from '../../../connectors/registry.js';
import type { SourceFilesConfig } from '../../../core/nodes/sourceFiles.js';
import type { DuckDb } from '../../../engine/duckdb/program.js';
import type { OpenDestination, OpenSource } from '../../../engine/ends.js';
import { makeFilesDestination } from '../../../engine/files/destination.js';
import { makeFilesSource } from '../../../engine/files/source.js';
import type { SplitServices } from '../../../engine/runSplit.js';
import { makeScratch } from '../../../engine/staging/scratch.js';
import { openStaging } from '../../../engine/staging/staging.js';
import { startTargetDatabase } from '../../connectors/postgres/destinationTesting.js';
import { net, startSourceDatabase } from '../../connectors/postgres/sourceTesting.js';
import { localDirectories } from '../../support/anywhere.js';
import { openDuckDb } from '../duckdb/opened.js';

export interface World {
  /** Someone else, who makes the rows and looks at what arrived. */
  source: Pool;
  target: Pool;
  duckdb: DuckDb;
  services: Pick<SplitServices, 'duckdb' | 'staging' | 'scratch' | 'maxRowBytes'>;
  fromDatabase: (config: object) => OpenSource;
  fromFiles: (path: string, options?: NonNullable<SourceFilesConfig['options']>) => OpenSource;
  toDatabase: (table: string, more?: object) => OpenDestination;
  toFiles: (path: string) => OpenDestination;
  /** What the files are in. */
  root: string;
  put: (path: string, contents: string) => Promise<void>;
  /** Puts a copy of a file there. */
  take: (file: string, path: string) => Promise<void>;
  close: () => Promise<void>;
}

const maxRowBytes = 1024 * 1024;
const connectionId = '0197f5f6-0000-7000-8000-000000000000';

/** As connectors set them: what `::text` gives is then comparable. */
const options = [
  ...['timezone=UTC', 'intervalstyle=postgres_verbose', 'datestyle=ISO,YMD'],
  ...['lc_monetary=C', 'bytea_output=hex'],
]
  .map((setting) => `-c ${setting}`)
  .join(' ');

const poolOf = (config: PostgresConfig): Pool => {
  const { host, port, database, user, password } = config;
  return new Pool({ host, port, database, user, password, options, max: 3 });
};

export const makeWorld = async (): Promise<World> => {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'fluxline-types-')));
  const root = join(base, 'files');
  await mkdir(root);
  const [from, to] = [await startSourceDatabase(), await startTargetDatabase()];
  const [source, target] = [poolOf(from.config), poolOf(to.config)];
  const store = makeLocalStore(root, 'source', localDirectories);
  const duckdb = openDuckDb({ slots: 2 });
  const scratch = await makeScratch(join(base, 'scratch'));
  const staging = await openStaging({
    url: root,
    maxBytes: 1024 * 1024,
    openConnector: (id, config) =>
      openConnector(id, config, { net, role: 'destination', maxRowBytes, localDirectories }),
  });
  return {
    source,
    target,
    duckdb,
    services: { duckdb, staging, scratch, maxRowBytes },
    fromDatabase: (config) => ({ nodeId: 'source', config, source: from.source }),
    fromFiles: (path, format) => ({
      nodeId: 'source',
      config: { connectionId, path, ...(format === undefined ? {} : { options: format }) },
      source: makeFilesSource({ store, duckdb, scratch, maxRowBytes }),
    }),
    toDatabase: (table, more) => ({
      kind: 'table',
      nodeId: 'destination',
      config: { table, mode: 'append', ...more },
      destination: to.destination,
    }),
    toFiles: (path) => ({
      kind: 'files',
      nodeId: 'destination',
      config: { connectionId, path, format: 'parquet' },
      destination: makeFilesDestination({ store }),
    }),
    root,
    take: (file, path) => copyFile(file, join(root, path)),
    put: (path, contents) => writeFile(join(root, path), contents),
    close: async () => {
      await duckdb.close();
      await staging.close();
      await source.end();
      await target.end();
      await from.drop();
      await to.drop();
      await rm(base, { recursive: true, force: true });
    },
  };
};
