import type { CallContext, Column } from '../connector.js';
import { columnSql } from './createTable.js';
import type { TableName } from './quote.js';
import type { Session } from './session.js';
import { drifted, invalid } from './tableConfig.js';
import type { TableConfig } from '../tableNodes.js';
import { columnOf, describeTable } from './target.js';
import type { Target } from './target.js';

/** Which of the columns that arrive have a place in the table, and which have none. */
export interface Places {
  loaded: readonly string[];
  skipped: readonly string[];
}

const missingFrom = (target: Target, columns: readonly Column[]): Column[] =>
  columns.filter(({ name }) => !columnOf(target, name));

/** The table with a place for every column, where the node asks for that. */
export const evolve = async (
  session: Session,
  name: TableName,
  target: Target,
  columns: readonly Column[],
  { onSchemaChange, mode }: TableConfig,
  { log }: CallContext,
): Promise<Target> => {
  const missing = missingFrom(target, columns);
  // To delete a row takes its key and no more.
  if (missing.length === 0 || mode === 'delete') return target;
  const names = missing.map((column) => column.name).join(', ');
  if (onSchemaChange === 'ignore') {
    log.warn(`Table ${name.schema}.${name.table} has no column ${names}: left out.`);
    return target;
  }
  if (onSchemaChange !== 'evolve') return target;
  // Rows that are there have no value for it: it takes NULL, whatever the source's column does.
  const actions = missing.map((column) => `add column ${columnSql({ ...column, nullable: true })}`);
  await session.run(`alter table ${target.sql} ${actions.join(', ')}`);
  log.info(`Added to table ${name.schema}.${name.table}: ${names}.`);
  return (await describeTable(session, name)) ?? target;
};

/** Refuses columns that the table cannot take, and says which ones it has no place for. */
export const placesOf = (
  name: TableName,
  target: Target,
  columns: readonly Column[],
  { onSchemaChange, keys = [], orderBy = [], mode }: TableConfig,
): Places => {
  const where = `Table ${name.schema}.${name.table}`;
  const skipped = missingFrom(target, columns).map((column) => column.name);
  const needed = [...keys, ...orderBy.map(({ column }) => column)];
  const canSkip = onSchemaChange === 'ignore' || mode === 'delete';
  const refused = canSkip ? needed.filter((column) => skipped.includes(column)) : skipped;
  if (refused.length > 0) {
    throw drifted(
      `${where} has no column ${refused.join(', ')}: add it, let onSchemaChange evolve the table, or load into another one.`,
    );
  }
  const loaded = columns.map((column) => column.name).filter((column) => columnOf(target, column));
  if (loaded.length === 0) throw drifted(`${where} has none of the columns that arrive.`);
  const computed = loaded.filter((column) => columnOf(target, column)?.generated);
  if (mode === 'delete' || computed.length === 0) return { loaded, skipped };
  throw invalid(
    `${where} computes ${computed.join(', ')} itself: leave it out with a select before the table.`,
  );
};
