import type pg from 'pg';
import { RunFailure } from '../../core/failures.js';
import type { Column } from '../connector.js';
import { quoteName, quoteTable } from './quote.js';
import type { TableName } from './quote.js';
import { nativeType } from './types.js';

/** The columns that rows can be loaded into; undefined where there is no such table. */
const columnsOf = async (
  client: pg.Client,
  name: TableName,
): Promise<ReadonlySet<string> | undefined> => {
  const { rows } = await client.query<{ there: boolean; columns: string[] }>(
    `select to_regclass($1) is not null as there,
            array(select attname::text from pg_attribute
                   where attrelid = to_regclass($1) and attnum > 0
                     and not attisdropped and attgenerated = '') as columns`,
    [quoteTable(name)],
  );
  return rows[0]?.there ? new Set(rows[0].columns) : undefined;
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

const refuseMissingColumns = (
  name: TableName,
  there: ReadonlySet<string>,
  columns: readonly Column[],
): void => {
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
  const found = await columnsOf(client, name);
  if (found) {
    refuseMissingColumns(name, found, columns);
    return 'found';
  }
  if (!createTable) {
    throw new RunFailure({
      code: 'schema_drift',
      class: 'schema',
      message: `Table ${name.schema}.${name.table} does not exist and createTable is false.`,
    });
  }
  // Another run may be creating it at this moment.
  await client.query(`select pg_advisory_xact_lock(hashtextextended($1, 0))`, [
    `_fluxline.${quoteTable(name)}`,
  ]);
  const meanwhile = await columnsOf(client, name);
  if (meanwhile) {
    refuseMissingColumns(name, meanwhile, columns);
    return 'found';
  }
  await create(client, name, columns);
  return 'created';
};
