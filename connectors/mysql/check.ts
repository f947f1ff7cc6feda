import type { Checked } from '../../core/browse.js';
import type { CallContext, OpenDeps } from '../connector.js';
import type { MysqlConfig } from './manifest.js';
import { quoteName } from './quote.js';
import type { Row } from './session.js';
import { inSession } from './transaction.js';

const factsSql = `
  select version() as version, @@global.read_only as read_only, @@local_infile as files,
         @@character_set_database as charset, @@max_allowed_packet as packet,
         (select variable_value from information_schema.session_status
           where variable_name = 'ssl_cipher') as cipher`;

/** MySQL keeps its states elsewhere. */
const otherFactsSql = `
  select version() as version, @@global.read_only as read_only, @@local_infile as files,
         @@character_set_database as charset, @@max_allowed_packet as packet,
         (select variable_value from performance_schema.session_status
           where variable_name = 'ssl_cipher') as cipher`;

interface Facts {
  row: Row;
  grants: string;
}

type Note = (facts: Facts, config: MysqlConfig) => string | false;

const isLocal = ({ host }: MysqlConfig): boolean => /^(localhost|127\.|::1$)/.test(host);

const mebibyte = 1024 * 1024;

const notes: readonly Note[] = [
  ({ row }) =>
    !/mariadb/i.test(row['version'] ?? '') &&
    'This is not MariaDB: the connector is tested with MariaDB 10.11 only, and MySQL is not verified.',
  ({ row }, config) =>
    row['cipher'] === '' &&
    !isLocal(config) &&
    'Nothing that is read or loaded is encrypted: enable TLS and set ssl to verify-full.',
  ({ row }) => row['read_only'] === '1' && 'The server is read-only: it can be read, not loaded.',
  ({ row }) =>
    row['files'] === '0' &&
    'local_infile is off: rows are loaded by statements, which takes about three times as long. Turn it on: set global local_infile = 1;',
  ({ row }) =>
    Number(row['packet']) < 16 * mebibyte &&
    `Rows of more than ${row['packet'] ?? ''} bytes can neither be read nor loaded (max_allowed_packet).`,
  ({ grants }, config) =>
    !/\b(ALL PRIVILEGES|CREATE)\b/.test(grants) &&
    `The user may not create tables, which loading needs for its markers: grant create, drop, alter, select, insert, update, delete, create temporary tables on ${quoteName(config.database)}.* to it.`,
];

export const check = (config: MysqlConfig, deps: OpenDeps, ctx: CallContext): Promise<Checked> =>
  inSession(config, deps, ctx, async (session) => {
    const [named] = await session.rows('select version() as version');
    const isMaria = /mariadb/i.test(named?.['version'] ?? '');
    const [row = {}] = await session.rows(isMaria ? factsSql : otherFactsSql);
    const granted = await session.rows('show grants');
    const grants = granted.map((grant) => Object.values(grant).join()).join('\n');
    return {
      serverVersion: named?.['version'] ?? null,
      notes: notes.flatMap((note) => note({ row, grants }, config) || []),
    };
  });
