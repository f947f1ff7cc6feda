import type pg from 'pg';
import { RunFailure } from '../../core/failures.js';
import type { Column } from '../connector.js';
import { quoteName, quoteTable } from './quote.js';
import type { TableName } from './quote.js';
import { nativeType } from './types.js';

const tableExists = async (client: pg.Client, name: TableName): Promise<boolean> => {
  const { rows } = await client.query<{ there: boolean }>(
    'select to_regclass($1) is not null as there',
    [quoteTable(name)],
  );
  return rows[0]?.there ?? false;
};

const create = async (
  client: pg.Client,
  name: TableName,
  columns: readonly Column[],
): Promise<void> => {
  const lines = columns.map(
    ({ name: column, type, nullable }) =>
      `${quoteName(column)} ${nativeType(type)}${nullable ? '' : ' not null'}`,
  );
  await client.query(`create table ${quoteTable(name)} (${lines.join(', ')})`);
};

const refuseMissingColumns = async (
  client: pg.Client,
  name: TableName,
  columns: readonly Column[],
): Promise<void> => {
  const { rows } = await client.query<{ attname: string }>(
    `select attname from pg_attribute
      where attrelid = to_regclass($1) and attnum > 0 and not attisdropped and attgenerated = ''`,
    [quoteTable(name)],
  );
  const there = new Set(rows.map(({ attname }) => attname));
  const missing = columns.filter((column) => !there.has(column.name)).map((column) => column.name);
  if (missing.length === 0) return;
  throw new RunFailure({
    code: 'schema_drift',
    class: 'schema',
    message: `Table ${name.schema}.${name.table} has no column ${missing.join(', ')}: add it, or load into another table.`,
  });
};

/** Makes sure that the table is there and can take these columns. */
export const ensureTable = async (
  client: pg.Client,
  name: TableName,
  columns: readonly Column[],
  createTable: boolean,
): Promise<'created' | 'found'> => {
  await client.query(`select pg_advisory_xact_lock(hashtextextended($1, 0))`, [
    `_fluxline.${quoteTable(name)}`,
  ]);
  if (await tableExists(client, name)) {
    await refuseMissingColumns(client, name, columns);
    return 'found';
  }
  if (!createTable) {
    throw new RunFailure({
      code: 'schema_drift',
      class: 'schema',
      message: `Table ${name.schema}.${name.table} does not exist and createTable is false.`,
    });
  }
  await create(client, name, columns);
  return 'created';
};
