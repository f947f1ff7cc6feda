import type pg from 'pg';
import type { Column } from '../connector.js';
import { quoteName } from './quote.js';
import { nameList } from './table.js';
import { nativeType } from './types.js';

/** What a type of PostgreSQL can look like in DDL; everything else is left to our own words. */
const typeForm = /^"?[a-z][a-z0-9_]*"?( [a-z]+)*(\(-?\d+(,-?\d+)?\))?( [a-z]+)*(\(\d+\))?(\[\])*$/;

const knownTypes = async (
  client: pg.Client,
  columns: readonly Column[],
): Promise<ReadonlySet<string>> => {
  const wanted = columns.flatMap(({ native }) =>
    native?.system === 'postgres' && typeForm.test(native.type) ? [native.type] : [],
  );
  // Types that every server has; someone's own ones mean something else here, or nothing.
  const { rows } = await client.query<{ type: string }>(
    `select w.type from unnest($1::text[]) w (type)
       join pg_type t on t.oid = to_regtype(w.type)
      where t.oid < 16384 and t.typnamespace = 'pg_catalog'::regnamespace`,
    [wanted],
  );
  return new Set(rows.map(({ type }) => type));
};

/** Each column as DDL has it, without NOT NULL. */
export const columnTypes = async (
  client: pg.Client,
  columns: readonly Column[],
): Promise<ReadonlyMap<string, string>> => {
  const known = await knownTypes(client, columns);
  return new Map(
    columns.map(({ name, type, native }) => [
      name,
      native && known.has(native.type) ? native.type : nativeType(type),
    ]),
  );
};

export const createTable = async (
  client: pg.Client,
  sql: string,
  columns: readonly Column[],
  keys: readonly string[],
): Promise<void> => {
  const types = await columnTypes(client, columns);
  const lines = columns.map(
    ({ name, nullable }) =>
      `${quoteName(name)} ${types.get(name) ?? 'text'}${nullable ? '' : ' not null'}`,
  );
  if (keys.length > 0) lines.push(`primary key (${nameList(keys)})`);
  await client.query(`create table ${sql} (${lines.join(', ')})`);
};
