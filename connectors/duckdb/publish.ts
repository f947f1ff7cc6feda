import type { CallContext, Delivery, OpenDeps } from '../connector.js';
import { classify, failWhere, superseded } from './classify.js';
import type { Database } from './database.js';
import { nameList, quoteName, quoteTable } from './quote.js';
import type { TableName } from './quote.js';
import { relationOf } from './relation.js';
import type { RelationColumn } from './relation.js';
import {
  claimSql,
  countSql,
  gatheredCount,
  isCurrent,
  publishing,
  readStage,
  rowsTable,
} from './stages.js';
import { drifted, keysOf } from './tableConfig.js';
import type { TableConfig } from '../tableNodes.js';
import { sameKeys } from './load.js';
import { repeats, winnersSql } from './winners.js';

interface Publishing {
  database: Database;
  node: TableConfig;
  name: TableName;
  delivery: Delivery;
  /** Those that were gathered, without ours. */
  columns: readonly RelationColumn[];
  /** Both quoted. */
  table: string;
  rows: string;
}

const namesIn = ({ columns }: Publishing): string => nameList(columns.map(({ name }) => name));

const appendSql = (work: Publishing): string =>
  `INSERT INTO ${work.table} (${namesIn(work)}) SELECT ${namesIn(work)} FROM ${work.rows}`;

/** What hangs on the table stays: indexes, constraints, comments and views. */
const replaceSql = (work: Publishing, exists: boolean): string[] => {
  const lines = work.columns.map(({ name, type }) => `${quoteName(name)} ${type}`);
  return [
    exists ? `DELETE FROM ${work.table}` : `CREATE TABLE ${work.table} (${lines.join(', ')})`,
    appendSql(work),
  ];
};

const mergeSql = (work: Publishing): string[] => {
  const { node, table, rows, columns } = work;
  const keys = keysOf(node);
  const others = columns.filter(({ name }) => !keys.includes(name));
  const set = others.map(({ name }) => `${quoteName(name)} = g.${quoteName(name)}`);
  const values = columns.map(({ name }) => `g.${quoteName(name)}`);
  const changed = set.length === 0 ? '' : `WHEN MATCHED THEN UPDATE SET ${set.join(', ')}`;
  return [
    ...((node.orderBy ?? []).length === 0 ? [failWhere(repeats(node, rows), 'duplicate')] : []),
    `MERGE INTO ${table} AS t USING (${winnersSql(node, rows, true)}) AS g
        ON ${sameKeys(keys, 't', 'g')} ${changed}
      WHEN NOT MATCHED THEN INSERT (${namesIn(work)}) VALUES (${values.join(', ')})`,
  ];
};

/**
 * DuckDB looks at an index of expressions when it is first read; before that it takes a row that is
 * deleted and written again in one transaction for a second one.
 */
const readIndexes = ({ table }: Publishing): string => `SELECT 1 FROM ${table} WHERE rowid = 0`;

const moveRows = async (work: Publishing): Promise<string[]> => {
  const { database, node, name } = work;
  const target = await relationOf(database, name);
  const before = target ? [readIndexes(work)] : [];
  if (node.mode === 'replace') return [...before, ...replaceSql(work, target !== undefined)];
  if (!target) throw drifted(`Table ${name.schema}.${name.table} does not exist any more.`);
  return [...before, ...(node.mode === 'upsert' ? mergeSql(work) : [appendSql(work)])];
};

/** All rows that have gathered go into the table, in one transaction with the marker of that. */
export const publish = async (
  database: Database,
  deps: OpenDeps,
  node: TableConfig,
  name: TableName,
  delivery: Delivery,
  where: string,
  { log }: CallContext,
): Promise<void> => {
  const stage = await readStage(database, delivery);
  if (!stage || !isCurrent(stage, delivery)) throw superseded();
  if (stage.markers.has(publishing)) return;
  const gathered = rowsTable(delivery);
  const relation = await relationOf(database, gathered);
  if (!relation) throw superseded();
  const columns = relation.columns.filter((column) => !column.name.startsWith('_fluxline_'));
  const rows = quoteTable(database.name, gathered);
  const table = quoteTable(database.name, name);
  const work: Publishing = { database, node, name, delivery, columns, table, rows };
  const marker = { ...delivery, split: publishing };
  const count = `(SELECT count(*) FROM ${rows})`;
  const answer = await database.attempt('write', [
    'BEGIN',
    ...claimSql(database, marker),
    failWhere(`${count} <> ${gatheredCount(database, delivery)}`, 'count'),
    ...(await moveRows(work)),
    countSql(database, marker, { rows: count, coalesced: '0', bytes: 0 }),
    `SELECT ${count}`,
    `DROP TABLE ${rows}`,
    'COMMIT',
  ]);
  if ('problem' in answer) {
    const { problem } = answer;
    const again = problem.statement === 1 && problem.type === 'Constraint';
    if (again && (await readStage(database, delivery))?.markers.has(publishing)) return;
    throw classify(problem, deps.role, where);
  }
  const moved = answer.results.at(-3)?.rows[0]?.[0];
  log.info(`${String(moved)} rows are in ${name.schema}.${name.table} now.`);
};
