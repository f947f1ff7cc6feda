import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { BadRow, CallContext, SplitRange } from '../../../connectors/connector.js';
import { makeLocalStore } from '../../../connectors/local/store.js';
import type { Store } from '../../../connectors/store.js';
import type { SourceFilesConfig } from '../../../core/nodes/sourceFiles.js';
import { makeDuckDb } from '../../../engine/duckdb/pool.js';
import type { DuckDb } from '../../../engine/duckdb/program.js';
import { makeFilesSource } from '../../../engine/files/source.js';
import type { RelationSource } from '../../../engine/files/relation.js';
import { makeScratch } from '../../../engine/staging/scratch.js';
import type { MakeScratch } from '../../../engine/staging/scratch.js';
import { localDirectories } from '../../support/anywhere.js';

export const context = (signal = new AbortController().signal): CallContext => ({
  signal,
  log: { info: () => undefined, warn: () => undefined },
});

export interface FilesFixture {
  /** What the store holds. */
  root: string;
  store: Store;
  duckdb: DuckDb;
  scratch: MakeScratch;
  source: RelationSource<SourceFilesConfig>;
  put(key: string, contents: string | Buffer): Promise<void>;
  close(): Promise<void>;
}

/** A directory as a store, or another one, and a real DuckDB. */
export const makeFilesFixture = async (
  maxRowBytes = 64 * 1024 * 1024,
  other?: Store,
): Promise<FilesFixture> => {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'files-')));
  const root = join(base, 'root');
  await mkdir(root);
  const store = other ?? makeLocalStore(root, 'source', localDirectories);
  const scratch = await makeScratch(join(base, 'scratch'));
  const duckdb = makeDuckDb({
    slots: 1,
    memoryBytes: 512 * 1024 * 1024,
    timeoutMs: 60_000,
    maxRows: 10_000,
    childFile: join(__dirname, '../../../dist/engine/duckdb/child.js'),
  });
  return {
    root,
    store,
    duckdb,
    scratch,
    source: makeFilesSource({ store, duckdb, scratch, maxRowBytes }),
    put: async (key, contents) => {
      await mkdir(dirname(join(root, key)), { recursive: true });
      await writeFile(join(root, key), contents);
    },
    close: async () => {
      await duckdb.close();
      await rm(base, { recursive: true, force: true });
    },
  };
};

/** Columns as a user would write them down. */
export const columnsOf = async (
  { source }: FilesFixture,
  config: Omit<SourceFilesConfig, 'connectionId'>,
): Promise<string[]> => {
  const { columns } = await source.facts({ config: withConnection(config) }, context());
  return columns.map(({ name, type }) =>
    type.kind === 'decimal'
      ? `${name} decimal(${type.precision},${type.scale})`
      : `${name} ${type.kind}`,
  );
};

const withConnection = (config: Omit<SourceFilesConfig, 'connectionId'>): SourceFilesConfig => ({
  connectionId: '0197f5f6-0000-7000-8000-000000000000',
  ...config,
});

export interface ReadAll {
  text: string;
  rows: number;
  rejected: readonly BadRow[];
}

export const splitsOf = async (
  { source }: FilesFixture,
  config: Omit<SourceFilesConfig, 'connectionId'>,
  targetBytes = 64 * 1024 * 1024,
): Promise<readonly SplitRange[]> => {
  const options = { targetBytes, consistency: 'per_row' as const };
  const request = { config: withConnection(config) };
  return (await source.splits(request, options, context())).ranges;
};

export const readRange = async ({ source }: FilesFixture, range: SplitRange): Promise<ReadAll> => {
  const config = withConnection({ path: 'unused' });
  const read = source.readBulk({ config }, range, { format: 'csv' }, context());
  const chunks: Buffer[] = [];
  for await (const chunk of read.chunks) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  return { text, rows: read.counts().rows, rejected: read.rejected() };
};

/** Everything that a configuration names, through `readBulk`. */
export const readAll = async (
  fixture: FilesFixture,
  config: Omit<SourceFilesConfig, 'connectionId'>,
  targetBytes?: number,
): Promise<ReadAll> => {
  const all = { text: '', rows: 0, rejected: [] as BadRow[] };
  for (const range of await splitsOf(fixture, config, targetBytes)) {
    const one = await readRange(fixture, range);
    all.text += one.text;
    all.rows += one.rows;
    all.rejected.push(...one.rejected);
  }
  return all;
};

/** The rows of a range as DuckDB gets them, and those it does not. */
export const readRelation = async (
  { source, scratch, duckdb }: FilesFixture,
  range: SplitRange,
): Promise<{ rows: readonly (readonly unknown[])[]; rejected: readonly BadRow[] }> => {
  const directory = await scratch('test');
  const config = withConnection({ path: 'unused' });
  const relation = await source.relation({ config }, range, directory.path, context(), []);
  const { sql, reads, rejectedSql, kept } = relation;
  const statements = [{ sql }, ...(rejectedSql === undefined ? [] : [{ sql: rejectedSql }])];
  const program = { directory: directory.path, reads, statements };
  const [answer, bad] = await duckdb.run(program, context().signal);
  await directory.remove();
  return {
    rows: answer?.rows ?? [],
    rejected: [...kept, ...(bad ? relation.rejectedRows(bad) : [])],
  };
};
