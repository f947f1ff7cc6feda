/** PostgreSQL of any major as the conformance suite sees it; a server of its own for each. */
import { chownSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Pool } from 'pg';
import type { PostgresConfig } from '../../../connectors/postgres/manifest.js';
import { quoteName, quoteText } from '../../../connectors/postgres/quote.js';
import { makeAuthority } from '../../support/certificates.js';
import { startOwnServer } from '../../support/processes.js';
import { waitFor } from '../../support/wait.js';
import type { Database, NewTable, Problem, Row, System } from '../conformance/harness.js';
import { configOf } from './sourceTesting.js';

const password = 'planted-pässword-4711';

/** As connectors set them: what `::text` gives is then comparable. */
const settings = [
  'TimeZone=UTC',
  'IntervalStyle=postgres_verbose',
  'DateStyle=ISO,YMD',
  'extra_float_digits=1',
]
  .map((setting) => `-c ${setting}`)
  .join(' ');

const createSql = ({ schema, name, comment, columns, key }: NewTable): string[] => {
  const table = [...(schema === undefined ? [] : [schema]), name].map(quoteName).join('.');
  const list = columns.map(
    (column) => `${quoteName(column.name)} ${column.type}${column.nullable ? '' : ' not null'}`,
  );
  const keys = key ? [`primary key (${key.map(quoteName).join(', ')})`] : [];
  return [
    `create table ${table} (${[...list, ...keys].join(', ')})`,
    ...(comment === undefined ? [] : [`comment on table ${table} is ${quoteText(comment)}`]),
    ...columns.flatMap((column) =>
      column.comment === undefined
        ? []
        : [`comment on column ${table}.${quoteName(column.name)} is ${quoteText(column.comment)}`],
    ),
  ];
};

const types: Database['types'] = [
  { type: 'boolean', values: ['true', 'false'] },
  { type: 'smallint', values: ['-32768', '32767'] },
  { type: 'bigint', values: ['-9223372036854775808', '9223372036854775807'] },
  { type: 'numeric', values: [`'NaN'`, '1.10', '1e100', '-1e-100'] },
  { type: 'numeric(10,2)', values: ['-99999999.99', '0.10'] },
  { type: 'real', values: [`'-Infinity'`, '1.17549435e-38', `'NaN'`] },
  { type: 'double precision', values: ['0.1', `'Infinity'`, '5e-324', `'-0'`] },
  {
    type: 'text',
    values: [`''`, `'"q", c'`, `E'a\\r\\n\\tb\\\\N'`, `'ü 表 🎉'`, `repeat('x', 100000)`],
  },
  { type: 'character varying(5)', values: [`''`, `' a '`] },
  { type: 'character(5)', values: [`'a'`, `''`] },
  { type: 'bytea', values: [`''`, `'\\x00ff0a22'`] },
  { type: 'uuid', values: [`'ffffffff-ffff-ffff-ffff-ffffffffffff'`] },
  { type: 'date', values: [`'4713-01-01 BC'`, `'infinity'`, `'5874897-12-31'`] },
  { type: 'time without time zone', values: [`'24:00:00'`, `'00:00:00.000001'`] },
  {
    type: 'timestamp without time zone',
    values: [`'294276-12-31 23:59:59.999999'`, `'-infinity'`],
  },
  { type: 'timestamp with time zone', values: [`'2026-03-29 01:59:59.5+14'`, `'0001-01-01 BC'`] },
  { type: 'interval', values: [`'-1 year 2 mons -3 days 04:05:06.7'`] },
  { type: 'json', values: [`'{"b": 1.10,  "b": null}'`] },
  { type: 'jsonb', values: [`'{"a": [9007199254740993, "ü"]}'`, `'null'`] },
  { type: 'integer[]', values: [`'{{1,NULL},{3,4}}'`, `'{}'`] },
  { type: 'text[]', values: [`array['a,b', '"', '', null]`] },
  { type: 'inet', values: [`'::1/64'`] },
  { type: 'int8range', values: [`'[1,5)'`, `'empty'`] },
  { type: 'bit varying(8)', values: [`'101'`] },
];

interface Server {
  adminUrl: string;
  pgdata: string;
}

/** Whether new connections to the server may be encrypted. */
const setTls = async (admin: Pool, wanted: 'on' | 'off'): Promise<void> => {
  await admin.query(`alter system set ssl = ${wanted}`);
  await admin.query('select pg_reload_conf()');
  await waitFor(
    async () => {
      const { rows } = await admin.query<{ ssl: string }>(
        `select setting as ssl from pg_settings where name = 'ssl'`,
      );
      return rows[0]?.ssl === wanted;
    },
    { timeoutMs: 20_000, what: `ssl = ${wanted}` },
  );
};

const withCertificate = async ({ pgdata }: Server, admin: Pool) => {
  const authority = makeAuthority('Authority of a test');
  // Not for 127.0.0.1: that name is the wrong one.
  const { certificate, key } = authority.issue(['localhost']);
  const { uid, gid } = statSync(pgdata);
  for (const [name, text] of [
    ['server.crt', certificate],
    ['server.key', key],
  ] as const) {
    const file = join(pgdata, name);
    writeFileSync(file, text, { mode: 0o600 });
    chownSync(file, uid, gid);
  }
  await setTls(admin, 'on');
  return authority.certificate;
};

const problemsOf = (config: PostgresConfig, admin: Pool, url: string): System['problems'] => {
  const noTls: Problem['provoke'] = async () => {
    await setTls(admin, 'off');
    return () => setTls(admin, 'on');
  };
  const other = makeAuthority('Another authority').certificate;
  return {
    tls_mismatch: { config: { ...config, ssl: 'require' }, provoke: noTls },
    certificate_untrusted: { config: { ...config, caCertificate: other } },
    certificate_mismatch: { config: { ...config, host: '127.0.0.1' } },
    login_refused: { config: { ...config, password: `${password}x` } },
    database_missing: { config: { ...config, database: 'nobody' } },
    too_many_connections: {
      config: { ...config, user: 'lonely' },
      provoke: async () => {
        const { pathname, host } = new URL(url);
        const only = new Client({
          connectionString: `postgres://lonely:${encodeURIComponent(password)}@${host}${pathname}`,
        });
        await only.connect();
        return () => only.end();
      },
    },
    permission_denied: { config: { ...config, user: 'lonely' }, source: { table: 'private' } },
  };
};

const databaseOver = (admin: Pool): Database => {
  const run = async (sql: string): Promise<readonly Row[]> => {
    const { rows } = await admin.query<(string | null)[]>({ text: sql, rowMode: 'array' });
    return rows;
  };
  return {
    schema: 'public',
    otherSchema: 'Other "schema"',
    run,
    createSql,
    quote: quoteName,
    literal: quoteText,
    asText: (column) => `${column}::text`,
    longText: (length) => `repeat('x', ${length})`,
    words: { integer: 'integer', text: 'text' },
    oddNames: ['_a', ' with "quotes" ', `it's`, 'per%cent', 'ünï 表', 'UPPER', '; drop--', 'a.b'],
    numbers: (count) => `select n from generate_series(1, ${count}) n`,
    sessions: async () => {
      const rows = await run(`select 1 from pg_stat_activity where application_name = 'fluxline'`);
      return rows.length;
    },
    endless: 'select pg_sleep(3600)::text as slept',
    block: async (table) => {
      const client = await admin.connect();
      await client.query(`begin; lock table ${quoteName(table)} in access exclusive mode`);
      return {
        waiting: async () => {
          const rows = await run(
            `select 1 from pg_stat_activity
              where application_name = 'fluxline' and wait_event_type = 'Lock'`,
          );
          return rows.length > 0;
        },
        release: async () => {
          await client.query('rollback');
          client.release();
        },
      };
    },
    types,
    broken: { sql: 'select 1 +\n  nothing_of_the_kind(2)', position: 14 },
  };
};

export const startPostgres = async (major: number): Promise<System> => {
  const server = await startOwnServer('postgres', major === 18 ? {} : { major });
  const { adminUrl, pgdata } = server.ready;
  const root = new Client({ connectionString: adminUrl });
  await root.connect();
  await root.query(`create role loader login superuser password ${quoteText(password)}`);
  await root.query(`create role lonely login connection limit 1 password ${quoteText(password)}`);
  await root.query('create database conformance');
  await root.end();
  const url = new URL(adminUrl);
  url.pathname = '/conformance';
  const admin = new Pool({ connectionString: url.href, options: settings, max: 4 });
  // The server says so when it stops, to whoever is still there.
  admin.on('error', () => undefined);
  await admin.query('create schema "Other ""schema"""; create table private (id int)');
  const caCertificate = await withCertificate({ adminUrl, pgdata }, admin);
  const config: PostgresConfig = {
    ...configOf(url.href),
    host: 'localhost',
    user: 'loader',
    password,
    ssl: 'verify-full',
    caCertificate,
  };
  return {
    config,
    secrets: [password, new URL(adminUrl).password],
    at: (host, port) => ({ ...config, host, port, connectTimeoutSeconds: 1 }),
    problems: problemsOf(config, admin, url.href) ?? {},
    database: databaseOver(admin),
    stop: async () => {
      await admin.end();
      await server.remove();
    },
  };
};
