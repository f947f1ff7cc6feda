import type { Checked } from '../../core/browse.js';
import type { CallContext, OpenDeps } from '../connector.js';
import type { PostgresConfig } from './manifest.js';
import { quoteName } from './quote.js';
import { beginLooking } from './reading.js';
import { inTransaction } from './transaction.js';

interface Facts {
  version: string;
  number: number;
  encoding: string;
  standby: boolean;
  readOnly: boolean;
  exposed: boolean;
  hasMarkers: boolean;
  mayCreateSchemas: boolean;
  mayUseMarkers: boolean;
  hasSchema: boolean;
  mayUseSchema: boolean;
  mayCreateTables: boolean;
}

const factsSql = `
  select current_setting('server_version') as version,
         current_setting('server_version_num')::int as number,
         getdatabaseencoding() as encoding,
         pg_is_in_recovery() as standby,
         (select reset_val = 'on' from pg_settings
           where name = 'default_transaction_read_only') as "readOnly",
         not (select coalesce(bool_or(ssl), false) from pg_stat_ssl where pid = pg_backend_pid())
           and not coalesce(inet_client_addr() <<= '127.0.0.0/8'
                            or inet_client_addr() = '::1', true) as exposed,
         markers.oid is not null as "hasMarkers",
         has_database_privilege(current_database(), 'create') as "mayCreateSchemas",
         coalesce(has_schema_privilege(markers.oid, 'usage')
                  and (has_schema_privilege(markers.oid, 'create')
                       or has_table_privilege(commits.oid, 'insert')), false) as "mayUseMarkers",
         named.oid is not null as "hasSchema",
         coalesce(has_schema_privilege(named.oid, 'usage'), false) as "mayUseSchema",
         coalesce(has_schema_privilege(named.oid, 'create'), false) as "mayCreateTables"
    from (select 1) one
    left join pg_namespace markers on markers.nspname = '_fluxline'
    left join pg_class commits on commits.relnamespace = markers.oid
                              and commits.relname = 'commits'
    left join pg_namespace named on named.nspname = $1`;

/** The oldest that the connector is tried with, and the first that reads ranges of pages. */
const oldestTried = 130_000;
const firstWithRangeScans = 140_000;

type Note = (facts: Facts, config: PostgresConfig) => string | false;

const schemaOf = ({ schema = 'public' }: PostgresConfig): string => schema;

/** What is read comes first, then what is loaded. */
const notes: readonly Note[] = [
  ({ number, version }) =>
    number < oldestTried && `PostgreSQL ${version} is older than what is tried (13): upgrade it.`,
  ({ number }) =>
    number >= oldestTried &&
    number < firstWithRangeScans &&
    'Before PostgreSQL 14, tables without a primary key are read in one piece: add keys, or upgrade.',
  ({ encoding }) =>
    encoding !== 'UTF8' &&
    `The database is in ${encoding}, not UTF8: text with other letters cannot be loaded, and expressions are not evaluated in it.`,
  ({ exposed }) =>
    exposed &&
    'Nothing that is read or loaded is encrypted: enable TLS and set ssl to verify-full.',
  ({ hasSchema }, config) =>
    !hasSchema &&
    `There is no schema ${schemaOf(config)}: create it, set schema, or name one in every node.`,
  ({ hasSchema, mayUseSchema }, config) =>
    hasSchema &&
    !mayUseSchema &&
    `Nothing in schema ${schemaOf(config)} can be read or loaded: grant usage on schema ${quoteName(schemaOf(config))} to ${quoteName(config.user)};`,
  ({ standby }) => standby && 'This is a standby: it can be read, not loaded.',
  ({ standby, readOnly }) =>
    !standby && readOnly && 'Sessions are read-only by default here; loading sets that aside.',
  ({ hasSchema, mayCreateTables, standby }, config) =>
    hasSchema &&
    !mayCreateTables &&
    !standby &&
    `No table can be created in schema ${schemaOf(config)}: grant create on schema ${quoteName(schemaOf(config))} to ${quoteName(config.user)}; or load tables that are there, without replace and atomic.`,
  ({ hasMarkers, mayUseMarkers, mayCreateSchemas, standby }, config) => {
    if (standby || (hasMarkers ? mayUseMarkers : mayCreateSchemas)) return false;
    const create = hasMarkers ? '' : 'create schema _fluxline; ';
    return `Nothing can be loaded, since what was loaded has to be remembered in schema _fluxline: ${create}grant usage, create on schema _fluxline to ${quoteName(config.user)};`;
  },
];

const checkSeconds = 15;

/** Logs in, and asks what will not work as it is. */
export const checkConnection = (
  config: PostgresConfig,
  deps: OpenDeps,
  ctx: CallContext,
): Promise<Checked> =>
  inTransaction(
    config,
    deps,
    ctx,
    async (client) => {
      const { rows } = await client.query<Facts>(factsSql, [schemaOf(config)]);
      const [facts] = rows;
      if (!facts) return { serverVersion: null, notes: [] };
      return {
        serverVersion: `PostgreSQL ${facts.version}`,
        notes: notes.map((note) => note(facts, config)).filter((note) => note !== false),
      };
    },
    beginLooking(checkSeconds),
  );
