/** Which files may be opened, and what nobody gets out of them. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import type { Connector, LocalDirectories } from '../../../connectors/connector.js';
import { openConnector } from '../../../connectors/registry.js';
import { corpus } from '../../sql/corpora.js';
import { bytesOf, context, failureOf } from '../postgres/sourceTesting.js';
import { startDuckdb } from './harness.js';
import type { DuckdbSystem } from './harness.js';

let system: DuckdbSystem;
let directory: string;

beforeAll(async () => {
  system = await startDuckdb();
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'fluxline-duckplace-')));
});
afterAll(async () => {
  await system.stop();
  rmSync(directory, { recursive: true, force: true });
});

const net = { connect: () => Promise.reject(new Error('a file needs no network')) };

const open = (
  config: object,
  localDirectories: LocalDirectories = { allowed: [realpathSync(tmpdir())], refused: [] },
): Promise<Connector> =>
  openConnector(
    'duckdb',
    { ...system.config, ...config },
    {
      net,
      role: 'source',
      maxRowBytes: 1024 * 1024,
      localDirectories,
      duckdb: system.duckdb,
    },
  );

const check = async (config: object, directories?: LocalDirectories) => {
  const connector = await open(config, directories);
  if (!connector.check) throw new Error('no check');
  return connector.check(context());
};

describe('a file that may not be opened', () => {
  it('lies where connections have no business', async () => {
    const inside = { allowed: [directory], refused: [] };
    expect((await failureOf(check({}, inside))).message).toContain('FLX_LOCAL_DIRECTORIES');
    const closed = { allowed: [realpathSync(tmpdir())], refused: [join(system.file, '..')] };
    expect((await failureOf(check({}, closed))).code).toBe('config_invalid');
  });

  it('is a link, or has one beside it', async () => {
    const link = join(directory, 'link.duckdb');
    symlinkSync(system.file, link);
    expect((await failureOf(check({ path: link }))).message).toContain('links');
    const file = join(directory, 'beside.duckdb');
    (await DuckDBInstance.create(file)).closeSync();
    symlinkSync('/etc/passwd', `${file}.wal`);
    expect((await failureOf(check({ path: file }))).message).toContain('links');
  });

  it('is a directory, or no database', async () => {
    const folder = join(directory, 'folder.duckdb');
    mkdirSync(folder);
    expect((await failureOf(check({ path: folder }))).code).toBe('config_invalid');
    const text = join(directory, 'text.duckdb');
    writeFileSync(text, 'SQLite format 3\0'.repeat(1000));
    expect((await failureOf(check({ path: text }))).message).toContain('no database of DuckDB');
  });

  it('is missing: a load would make it, and nothing can be read', async () => {
    const path = join(directory, 'missing.duckdb');
    expect(await check({ path })).toMatchObject({ serverVersion: null, notes: [/./] });
    const { source } = await open({ path });
    const failure = await failureOf(
      source?.facts({ config: { table: 't' } }, context()) ?? Promise.reject(new Error('none')),
    );
    expect(failure.reason).toBe('database_missing');
  });

  it('is open elsewhere', async () => {
    const holder = await DuckDBInstance.create(system.file);
    try {
      const failure = await failureOf(check({ lockTimeoutSeconds: 0 }));
      expect(failure).toMatchObject({ code: 'resource_exhausted', reason: 'locked' });
      expect(failure.message).not.toContain(String(process.pid));
    } finally {
      holder.closeSync();
    }
    expect(await check({})).toMatchObject({ serverVersion: /DuckDB v/, notes: [] });
  });
});

it.each(['memory', 'temp', 'main', 'a.b', 'with "quotes"'])(
  'a file of the name %s can be asked',
  async (stem) => {
    const path = join(directory, `${stem}.duckdb`);
    const instance = await DuckDBInstance.create(path);
    const connection = await instance.connect();
    await connection.run('create table t as select 1 as a');
    await connection.run('create view v as select a from t');
    connection.closeSync();
    instance.closeSync();
    const { browser } = await open({ path });
    const caps = { rows: 10, bytes: 1000, seconds: 20 };
    expect(await browser?.query?.('select * from t, v', caps, context())).toMatchObject({
      ok: true,
      rows: { rows: [[1, 1]] },
    });
  },
);

describe('behind the wall of allowed words', () => {
  const reaching = corpus('duckdb-refused').filter((text) =>
    /read_(text|blob|csv|json)|'x'|passwd|attach|copy|install|load|export|insert|drop|truncate|create/i.test(
      text,
    ),
  );

  it('no query gets out of the file, nor changes it', async () => {
    await system.database.run('create table kept (a integer)');
    expect(reaching.length).toBeGreaterThan(50);
    const { browser } = await open({});
    const caps = { rows: 10, bytes: 100_000, seconds: 20 };
    for (const text of reaching) {
      const answer = await browser?.query?.(text, caps, context());
      const shown = answer?.ok ? JSON.stringify(answer.rows.rows) : '';
      expect({ text, leaked: /root:|nologin/.test(shown) }).toEqual({ text, leaked: false });
    }
    expect(
      await system.database.run(
        `select table_name from duckdb_tables() where schema_name = 'main'`,
      ),
    ).toEqual([['kept']]);
  });

  it('a view of the file is no way to another file', async () => {
    await system.database.run(
      `create or replace view leak as select * from read_csv('/etc/passwd', header = false,
         columns = {'line': 'VARCHAR'}, auto_detect = false, delim = '|')`,
    );
    const { source, browser } = await open({});
    if (!source) throw new Error('no source');
    const caps = { rows: 10, bytes: 100_000, seconds: 20 };
    expect(await browser?.query?.('select * from leak', caps, context())).toMatchObject({
      ok: false,
    });
    const request = { config: { sql: 'select * from leak' } };
    const options = { consistency: 'single', targetBytes: 1 } as const;
    const failure = await failureOf(
      (async () => {
        const { ranges } = await source.splits(request, options, context());
        await bytesOf(source.readBulk(request, ranges[0] ?? {}, { format: 'csv' }, context()));
      })(),
    );
    expect(failure.code).toBe('config_invalid');
  });
});
