/** MariaDB as the conformance suite sees it; a server of its own. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import type { Connection } from 'mysql2/promise';
import type { MysqlConfig } from '../../../connectors/mysql/manifest.js';
import { quoteName, quoteText } from '../../../connectors/mysql/quote.js';
import { makeAuthority } from '../../support/certificates.js';
import { startServer } from '../../support/serverProcess.js';
import type { MariadbReady } from '../../support/serverProcess.js';
import type { Database, NewTable, Row, System } from '../conformance/harness.js';

const password = `planted-pässword'4711`;
const database = 'conformance';

const createSql = ({ schema, name, comment, columns, key }: NewTable): string[] => {
  const table = [...(schema === undefined ? [] : [schema]), name].map(quoteName).join('.');
  const lines = columns.map(
    (column) =>
      `${quoteName(column.name)} ${column.type}${column.nullable ? ' null' : ' not null'}` +
      (column.comment === undefined ? '' : ` comment ${quoteText(column.comment)}`),
  );
  // Of a text of any length, a part is the key.
  const part = (name: string): string =>
    columns.find((column) => column.name === name)?.type === 'longtext' ? '(100)' : '';
  if (key) {
    lines.push(`primary key (${key.map((name) => `${quoteName(name)}${part(name)}`).join(', ')})`);
  }
  const about = comment === undefined ? '' : ` comment = ${quoteText(comment)}`;
  return [`create table ${table} (${lines.join(', ')})${about}`];
};

const types: Database['types'] = [
  { type: 'tinyint(1)', values: ['-128', '127', '0'] },
  { type: 'tinyint(3) unsigned', values: ['255'] },
  { type: 'smallint(6)', values: ['-32768', '32767'] },
  { type: 'mediumint(9)', values: ['-8388608'] },
  { type: 'int(10) unsigned', values: ['4294967295'] },
  { type: 'int(5) unsigned zerofill', values: ['42'] },
  { type: 'bigint(20)', values: ['-9223372036854775808', '9223372036854775807'] },
  { type: 'bigint(20) unsigned', values: ['18446744073709551615'] },
  { type: 'decimal(65,30)', values: [`-${'9'.repeat(35)}.${'9'.repeat(30)}`, '0.1'] },
  { type: 'decimal(10,2)', values: ['-99999999.99', '1.10'] },
  { type: 'float', values: ['0.1', '16777217', '-3.40282e38', '1.17549e-38', '123456.789'] },
  { type: 'double', values: ['0.1', '5e-324', '1.7976931348623157e308', '-0.0', '1/3e0'] },
  { type: 'varchar(20)', values: [`''`, `'"q", c'`, `'NULL'`, `'\\\\N'`, `' a '`, `'ü 表 🎉'`] },
  { type: 'char(5)', values: [`'a'`, `''`] },
  { type: 'text', values: [`'a\\r\\n\\tb\\\\N'`, `''`, `repeat('x"', 30000)`] },
  { type: 'longtext', values: [`repeat('ü', 100000)`] },
  { type: 'binary(4)', values: [`x'00ff0a22'`] },
  { type: 'varbinary(20)', values: [`''`, `x'00ff0a22095c'`] },
  { type: 'blob', values: [`x'5c4e'`, `repeat(x'ff', 60000)`] },
  { type: 'bit(1)', values: [`b'1'`, `b'0'`] },
  { type: 'bit(12)', values: [`b'101000000001'`] },
  { type: 'bit(64)', values: ['18446744073709551615'] },
  { type: 'date', values: [`'1000-01-01'`, `'9999-12-31'`, `'0000-00-00'`] },
  { type: 'time(6)', values: [`'838:59:59.999999'`, `'-838:59:59'`, `'00:00:00.000001'`] },
  { type: 'time', values: [`'23:59:59'`] },
  { type: 'datetime(6)', values: [`'9999-12-31 23:59:59.999999'`, `'1000-01-01'`] },
  { type: 'datetime', values: [`'2026-03-29 02:30:00'`, `'0000-00-00'`] },
  { type: 'timestamp(6)', values: [`'1970-01-01 00:00:01.5'`, `'2038-01-19 03:14:07.999999'`] },
  { type: 'year(4)', values: ['1901', '2155'] },
  { type: `enum('a','it''s','c,d')`, values: [`'it''s'`, `'c,d'`] },
  { type: `set('a','b')`, values: [`'a,b'`, `''`] },
  { type: 'uuid', values: [`'ffffffff-ffff-ffff-ffff-ffffffffffff'`] },
];

const lockWait = `state like 'Waiting for%lock%'`;

const databaseOver = (admin: Connection, another: () => Promise<Connection>): Database => {
  const run = async (sql: string): Promise<readonly Row[]> => {
    const [rows] = await admin.query({ sql, rowsAsArray: true });
    // The server looks at what a table holds some seconds after it was filled; here, at once.
    const filled = /^insert into (`(?:[^`]|``)+`)[^;]+ select/.exec(sql)?.[1];
    if (filled !== undefined) await admin.query(`analyze table ${filled}`);
    return Array.isArray(rows) ? (rows as unknown as Row[]) : [];
  };
  return {
    schema: database,
    otherSchema: 'Other `schema`',
    run,
    createSql,
    quote: quoteName,
    literal: quoteText,
    // Bytes that are no text are shown by their digits.
    asText: (column) =>
      `if(charset(concat(${column})) = 'binary' and hex(concat(${column})) regexp '^(..)*([89A-F].|0.)',
          hex(concat(${column})), concat(${column}))`,
    longText: (length) => `repeat('x', ${length})`,
    words: { integer: 'int(11)', text: 'longtext' },
    oddNames: ['_a', ' with "quotes"', 'back`tick', `it's`, 'per%cent', 'ünï 表', 'UPPER', 'a.b'],
    numbers: (count) => `select seq as n from seq_1_to_${count}`,
    sessions: async () => {
      const rows = await run(
        `select 1 from information_schema.processlist where user in ('loader', 'lonely')`,
      );
      return rows.length;
    },
    endless: 'select sleep(3600) as slept',
    block: async (table) => {
      const holder = await another();
      await holder.query(`lock tables ${quoteName(table)} write`);
      return {
        waiting: async () => {
          const sql = `select 1 from information_schema.processlist
                        where user = 'loader' and ${lockWait}`;
          return (await run(sql)).length > 0;
        },
        release: () => holder.end(),
      };
    },
    types,
    broken: { sql: 'select 1 +\n nothing_of_the_kind(2)' },
  };
};

const problemsOf = (
  config: MysqlConfig,
  withoutAuthority: MysqlConfig,
  another: (user: string) => Promise<Connection>,
): NonNullable<System['problems']> => {
  return {
    certificate_untrusted: { config: withoutAuthority },
    certificate_mismatch: { config: { ...config, host: '127.0.0.1' } },
    login_refused: { config: { ...config, password: `${password}x` } },
    database_missing: { config: { ...config, database: 'nobody' } },
    too_many_connections: {
      config: { ...config, user: 'lonely' },
      provoke: async () => {
        const only = await another('lonely');
        return () => only.end();
      },
    },
    permission_denied: { config: { ...config, user: 'lonely' }, source: { table: 'private' } },
  };
};

/** Another one has no TLS: a server cannot give it up while it runs. */
const startWithoutTls = async (
  directory: string,
): Promise<{ ready: MariadbReady; stop: () => Promise<void> }> =>
  startServer('mariadb', { directory: join(directory, 'plain'), password });

export const startMariadb = async (settings: Record<string, string> = {}): Promise<System> => {
  const directory = mkdtempSync(join(tmpdir(), 'fluxline-mariadb-'));
  const authority = makeAuthority('Authority of a test');
  // Not for 127.0.0.1: that name is the wrong one.
  const { certificate, key } = authority.issue(['localhost']);
  writeFileSync(join(directory, 'server.crt'), certificate);
  writeFileSync(join(directory, 'server.key'), key, { mode: 0o600 });
  const tls = { ssl_cert: join(directory, 'server.crt'), ssl_key: join(directory, 'server.key') };
  const server = await startServer('mariadb', {
    directory: join(directory, 'server'),
    password,
    settings: { ...tls, ...settings },
  });
  const plain = await startWithoutTls(directory);
  const { host, port, user } = server.ready;
  const another = async (who = user, schema?: string): Promise<Connection> => {
    const connection = await createConnection({
      ...{ host, port, user: who, password, charset: 'UTF8MB4_BIN', timezone: 'Z' },
      ...(schema === undefined ? {} : { database: schema }),
      typeCast: (field) => field.string(),
    });
    await connection.query(`set time_zone = '+00:00', sql_mode = ''`);
    return connection;
  };
  const admin = await another();
  await admin.query(`create database ${database} character set utf8mb4`);
  await admin.query(`use ${database}`);
  for (const sql of [
    'create database `Other ``schema```',
    'create table private (id int)',
    `create user loader@'%' identified by ${quoteText(password)}`,
    `grant all on *.* to loader@'%'`,
    `create user lonely@'%' identified by ${quoteText(password)} with max_user_connections 1`,
    `create table ${database}.open_to_all (id int)`,
    `grant select on ${database}.open_to_all to lonely@'%'`,
  ]) {
    await admin.query(sql);
  }
  const withoutAuthority: MysqlConfig = {
    ...{ host: 'localhost', port, database, user: 'loader', password },
    ssl: 'verify-full',
  };
  const config: MysqlConfig = { ...withoutAuthority, caCertificate: authority.certificate };
  const toPlain: MysqlConfig = {
    ...{ host: plain.ready.host, port: plain.ready.port, database: 'mysql' },
    ...{ user: plain.ready.user, password, ssl: 'require' },
  };
  return {
    config,
    secrets: [password],
    at: (otherHost, otherPort) => ({
      ...config,
      host: otherHost,
      port: otherPort,
      connectTimeoutSeconds: 1,
    }),
    problems: {
      ...problemsOf(config, withoutAuthority, (who) => another(who)),
      tls_mismatch: { config: toPlain },
    },
    database: databaseOver(admin, () => another(user, database)),
    stop: async () => {
      await admin.end();
      await Promise.all([server.stop(), plain.stop()]);
      rmSync(directory, { recursive: true, force: true });
    },
  };
};
