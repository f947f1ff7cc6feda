import { RunFailure } from '../../core/failures.js';
import type { CallContext, Column, Delivery, Prepared } from '../connector.js';
import { superseded } from './classify.js';
import type { Database } from './database.js';
import { rowColumn, splitColumn } from './load.js';
import { missingFrom, placesOf } from './places.js';
import { folded, nameList, quoteName, quoteTable } from './quote.js';
import type { TableName } from './quote.js';
import {
  abandonedTables,
  ensureSql,
  isCurrent,
  publishing,
  readStage,
  rowsTable,
  touchSql,
} from './stages.js';
import type { Stage } from './stages.js';
import { checkConfig, drifted, gathers, invalid, keysOf } from './tableConfig.js';
import type { TableConfig } from '../tableNodes.js';
import { describeTable } from './target.js';
import type { Target } from './target.js';
import { becomesText, createdType } from './types.js';
import { startAnewSql } from './undo.js';

interface Work {
  database: Database;
  node: TableConfig;
  name: TableName;
  columns: readonly Column[];
  delivery: Delivery;
  ctx: CallContext;
}

const columnSql = (column: Column, isKey: boolean): string =>
  `${quoteName(column.name)} ${createdType(column)}${column.nullable && !isKey ? '' : ' NOT NULL'}`;

/** A table for these columns; what tells rows apart is its primary key. */
export const createTableSql = (
  catalog: string,
  name: TableName,
  columns: readonly Column[],
  keys: readonly string[],
): string => {
  const isKey = new Set(keys.map(folded));
  const lines = columns.map((column) => columnSql(column, isKey.has(folded(column.name))));
  if (keys.length > 0) lines.push(`PRIMARY KEY (${nameList(keys)})`);
  return `CREATE TABLE IF NOT EXISTS ${quoteTable(catalog, name)} (${lines.join(', ')})`;
};

interface Change {
  statements: readonly string[];
  /** As it will be; undefined where the table comes with its rows. */
  target: Target | undefined;
}

const withColumns = (target: Target, added: readonly Column[]): Target => ({
  ...target,
  columns: new Map([
    ...target.columns,
    ...added.map((column): [string, { name: string; type: string; notNull: boolean }] => [
      folded(column.name),
      { name: column.name, type: createdType(column), notNull: false },
    ]),
  ]),
});

const create = ({ database, node, name, columns, ctx }: Work): Change => {
  const where = `${name.schema}.${name.table}`;
  if (node.createTable === false) {
    throw drifted(`Table ${where} does not exist and createTable is false.`);
  }
  const inexact = columns.filter(becomesText).map((column) => column.name);
  if (inexact.length > 0) {
    ctx.log.warn(
      `No number of DuckDB's holds every value of ${inexact.join(', ')}: kept as text. Create the table yourself to have another type.`,
    );
  }
  // Nobody is to see a replaced table empty before.
  if (node.mode === 'replace') return { statements: [], target: undefined };
  ctx.log.info(`Created table ${where}.`);
  const keys = keysOf(node);
  const none: Target = {
    ...{ isView: false, columns: new Map(), checks: [], uniques: [], references: [] },
  };
  return {
    statements: [createTableSql(database.name, name, columns, keys)],
    target: withColumns(none, columns),
  };
};

/** The table with a place for every column, where the node asks for that. */
const evolve = (target: Target, { database, node, name, columns, ctx }: Work): Change => {
  const where = `${name.schema}.${name.table}`;
  if (target.isView) throw invalid(`${where} is a view: load into the table behind it.`);
  const missing = missingFrom(target, columns);
  // To delete a row takes its key and no more.
  if (missing.length === 0 || node.mode === 'delete') return { statements: [], target };
  const names = missing.map((column) => column.name).join(', ');
  if (node.onSchemaChange === 'ignore') {
    ctx.log.warn(`Table ${where} has no column ${names}: left out.`);
  }
  if (node.onSchemaChange !== 'evolve') return { statements: [], target };
  ctx.log.info(`Added to table ${where}: ${names}.`);
  const table = quoteTable(database.name, name);
  return {
    // Rows that are there have no value for it: it takes NULL, whatever the source's column does.
    statements: missing.map(
      (column) =>
        `ALTER TABLE ${table} ADD COLUMN ${columnSql({ ...column, nullable: true }, false)}`,
    ),
    target: withColumns(target, missing),
  };
};

const lostSplits = (where: string): RunFailure =>
  new RunFailure({
    code: 'snapshot_lost',
    class: 'transient',
    message: `What earlier attempts had gathered for ${where} is gone: the stage has to start over.`,
  });

const refuseLost = (stage: Stage | undefined, { delivery, name }: Work): void => {
  const own = rowsTable(delivery).table;
  const isThere = stage?.gathered.some(({ table }) => table === own) ?? false;
  if (stage && stage.markers.size > 0 && !isThere) {
    throw lostSplits(`${name.schema}.${name.table}`);
  }
};

/** Creates what the writes need, and refuses what could not work: one transaction. */
export const prepareTable = async (work: Work): Promise<Prepared> => {
  const { database, node, name, columns, delivery, ctx } = work;
  checkConfig(node, columns);
  const stage = await readStage(database, delivery);
  if (stage?.closed && stage.generation >= delivery.generation) throw superseded();
  const goesOn = isCurrent(stage, delivery);
  const isPublished = goesOn && (stage?.markers.has(publishing) ?? false);
  const publishes = gathers(node);
  const needsRows = publishes && !isPublished;
  if (goesOn && needsRows) refuseLost(stage, work);

  const found = database.exists ? await describeTable(database, name) : undefined;
  const change = found ? evolve(found, work) : create(work);
  const placed = placesOf(name, change.target, columns, node);
  const lines = placed.map((column) => `${quoteName(column.name)} ${column.type}`);
  const rows = quoteTable(database.name, rowsTable(delivery));
  const abandoned = await abandonedTables(database);
  await database.run('write', [
    'BEGIN',
    ...ensureSql(database),
    ...abandoned.map((table) => `DROP TABLE IF EXISTS ${quoteTable(database.name, table)}`),
    ...(goesOn
      ? touchSql(database, delivery)
      : startAnewSql(database, node, name, delivery, stage, ctx)),
    ...change.statements,
    ...(needsRows
      ? [
          `CREATE TABLE IF NOT EXISTS ${rows}
             (${lines.join(', ')}, ${splitColumn} INTEGER, ${rowColumn} BIGINT)`,
        ]
      : []),
    'COMMIT',
  ]);
  return { formats: ['csv'], publishes };
};
