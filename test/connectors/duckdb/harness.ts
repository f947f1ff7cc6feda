/** A database file as the conformance suite sees it, and as somebody else's process sees it. */
import { mkdtempSync, readdirSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import type { DuckDatabases } from '../../../connectors/duckdbPort.js';
import { nameIn, nameList, quoteName, quoteText } from '../../../connectors/duckdb/quote.js';
import { makeDatabases } from '../../../engine/duckdb/databases.js';
import { makeScratch } from '../../../engine/staging/scratch.js';
import { openDuckDb } from '../../engine/duckdb/opened.js';
import { waitFor } from '../../support/wait.js';
import type { Database, NewTable, Row, System } from '../conformance/harness.js';

const createSql = ({ schema, name, comment, columns, key }: NewTable): string[] => {
  const table = nameIn(...(schema === undefined ? [] : [schema]), name);
  const lines = columns.map(
    (column) => `${quoteName(column.name)} ${column.type}${column.nullable ? '' : ' not null'}`,
  );
  if (key) lines.push(`primary key (${nameList(key)})`);
  return [
    `create table ${table} (${lines.join(', ')})`,
    ...(comment === undefined ? [] : [`comment on table ${table} is ${quoteText(comment)}`]),
    ...columns.flatMap((column) =>
      column.comment === undefined
        ? []
        : [`comment on column ${table}.${quoteName(column.name)} is ${quoteText(column.comment)}`],
    ),
  ];
};

const types: Database['types'] = [
  { type: 'BOOLEAN', values: ['true', 'false'] },
  { type: 'TINYINT', values: ['-128', '127'] },
  { type: 'SMALLINT', values: ['-32768'] },
  { type: 'INTEGER', values: ['-2147483648', '2147483647'] },
  { type: 'BIGINT', values: ['-9223372036854775808', '9223372036854775807'] },
  { type: 'HUGEINT', values: ['-170141183460469231731687303715884105728'] },
  { type: 'UTINYINT', values: ['255'] },
  { type: 'USMALLINT', values: ['65535'] },
  { type: 'UINTEGER', values: ['4294967295'] },
  { type: 'UBIGINT', values: ['18446744073709551615'] },
  { type: 'UHUGEINT', values: ['340282366920938463463374607431768211455'] },
  { type: 'BIGNUM', values: [`'${'9'.repeat(60)}'::bignum`] },
  { type: 'DECIMAL(38,10)', values: [`-${'9'.repeat(28)}.${'9'.repeat(10)}`, '0.1'] },
  { type: 'DECIMAL(4,2)', values: ['99.99', '-0.01'] },
  { type: 'FLOAT', values: ['0.1', '16777217', '3.4e38', `'nan'`, `'-infinity'`] },
  { type: 'DOUBLE', values: ['0.1', '5e-324', '1.7976931348623157e308', `'nan'`, `'inf'`, '-0.0'] },
  { type: 'VARCHAR', values: [`''`, `'"q", c'`, `'NULL'`, `'\\N'`, `' a\n'`, `'ü 表 🎉'`] },
  { type: 'BLOB', values: [`''`, `'\\x00\\xFF\\x0A"'::blob`, `encode('\\x')`] },
  { type: 'BIT', values: [`'010100001'::bit`] },
  { type: 'UUID', values: [`'ffffffff-ffff-ffff-ffff-ffffffffffff'`] },
  { type: 'DATE', values: [`'0044-03-15 (BC)'`, `'9999-12-31'`, `'infinity'`, `'-infinity'`] },
  { type: 'TIME', values: [`'23:59:59.999999'`, `'24:00:00'`] },
  { type: 'TIME_NS', values: [`'23:59:59.999999999'`] },
  { type: 'TIME WITH TIME ZONE', values: [`'23:59:59.999999+15:59'`] },
  { type: 'TIMESTAMP_S', values: [`'2026-03-29 02:30:00'`] },
  { type: 'TIMESTAMP_MS', values: [`'2026-03-29 02:30:00.123'`] },
  {
    type: 'TIMESTAMP',
    values: [`'0044-03-15 (BC) 10:00:00'`, `'294247-01-10 04:00:54.775806'`, `'infinity'`],
  },
  { type: 'TIMESTAMP_NS', values: [`'2026-03-29 02:30:00.123456789'`] },
  {
    type: 'TIMESTAMP WITH TIME ZONE',
    values: [`'2026-03-29 02:30:00.123456+05:30'`, `'9999-12-31 23:59:59.999999+00'`, `'infinity'`],
  },
  { type: 'INTERVAL', values: [`'-14 months 3 days -04:05:06.789'::interval`, `'0 seconds'`] },
  { type: 'JSON', values: [`'{"a": 1.10, "b": [null]}'`, `'null'`, `'"x"'`] },
  { type: `ENUM('a', 'it''s', 'c,d')`, values: [`'it''s'`, `'c,d'`] },
  { type: 'INTEGER[]', values: ['[1, null, 3]', '[]'] },
  { type: 'VARCHAR[2]', values: [`['a, "b"', null]`] },
  {
    type: 'STRUCT(a INTEGER, b VARCHAR, c DATE)',
    values: [`{'a': 1, 'b': 'x, ''y''', 'c': DATE '2024-02-29'}`],
  },
  { type: 'MAP(VARCHAR, DOUBLE[])', values: [`map {'k "1"': [0.1, null]}`] },
  { type: 'UNION(n INTEGER, t VARCHAR)', values: [`union_value(t := 'x')`] },
];

/** Somebody who comes and goes: the file is nobody's while the connector works. */
const opened = async (file: string): Promise<DuckDBInstance> => {
  let instance: DuckDBInstance | undefined;
  await waitFor(
    async () => {
      instance = await DuckDBInstance.create(file, { threads: '1' }).catch((error: unknown) => {
        if (/lock/.test(String(error))) return undefined;
        throw error;
      });
      return instance !== undefined;
    },
    { timeoutMs: 20_000, what: 'the file to be free' },
  );
  if (!instance) throw new Error('no database');
  return instance;
};

const asked = async (file: string, sql: string): Promise<readonly Row[]> => {
  const instance = await opened(file);
  try {
    const connection = await instance.connect();
    try {
      await connection.run(`set TimeZone = 'UTC'`);
      const reader = await connection.runAndReadAll(sql);
      return reader
        .getRowsJson()
        .map((row) =>
          row.map((value) =>
            value === null || typeof value === 'string' ? value : JSON.stringify(value),
          ),
        );
    } finally {
      connection.closeSync();
    }
  } finally {
    instance.closeSync();
  }
};

/** Processes but ours that have the file open. */
const holders = (file: string): number => {
  const fds = (pid: string): string[] => {
    try {
      return readdirSync(`/proc/${pid}/fd`).map((fd) => `/proc/${pid}/fd/${fd}`);
    } catch {
      return [];
    }
  };
  const leadsTo = (fd: string): string => {
    try {
      return readlinkSync(fd);
    } catch {
      return '';
    }
  };
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
    .filter((pid) => fds(pid).some((fd) => leadsTo(fd) === file)).length;
};

const databaseOver = (file: string, scratchRoot: string): Database => ({
  schema: 'main',
  otherSchema: 'Other "schema"',
  run: (sql) => asked(file, sql),
  createSql,
  quote: quoteName,
  literal: quoteText,
  asText: (column) => `${column}::varchar`,
  longText: (length) => `repeat('x', ${length})`,
  words: { integer: 'INTEGER', text: 'VARCHAR' },
  oddNames: ['_a', ' with "quotes"', 'back`tick', `it's`, 'per%cent', 'ünï 表', 'UPPER', 'a.b'],
  numbers: (count) => `select range + 1 as n from range(${count})`,
  sessions: async () => holders(file),
  endless: `select count(*) as n from range(1000000) a, range(1000000) b
             where hash(a.range, b.range) = 0`,
  block: async () => {
    const holder = await opened(file);
    return {
      // It has taken its rows in, and cannot get rid of them.
      waiting: async () =>
        readdirSync(scratchRoot).some((own) => readdirSync(join(scratchRoot, own)).length > 0),
      release: async () => holder.closeSync(),
    };
  },
  types,
  broken: { sql: 'select 1 +\n nothing_of_the_kind(2)', position: 13 },
});

export interface DuckdbSystem extends System {
  file: string;
  duckdb: DuckDatabases;
  database: Database;
}

export const startDuckdb = async (): Promise<DuckdbSystem> => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'fluxline-duckfile-')));
  const file = join(directory, 'warehouse.duckdb');
  const scratchRoot = join(directory, 'scratch');
  const duckdb = openDuckDb({ slots: 2 });
  await asked(file, 'create schema "Other ""schema"""');
  return {
    config: { path: file, lockTimeoutSeconds: 30 },
    secrets: [],
    file,
    database: databaseOver(file, scratchRoot),
    duckdb: makeDatabases({ duckdb, scratch: await makeScratch(scratchRoot) }),
    stop: async () => {
      await duckdb.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
};
