import { join } from 'node:path';
import type { BulkRead, CallContext, Counts, Marker, OpenDeps, WriteResult } from '../connector.js';
import { classify, failWhere, superseded } from './classify.js';
import type { Database } from './database.js';
import {
  namesOf,
  readCsvSql,
  rowColumn,
  sameKeys,
  splitColumn,
  spoolRows,
  waiting,
  waitSql,
} from './load.js';
import { placesOf } from './places.js';
import type { PlacedColumn } from './places.js';
import { quoteName, quoteTable } from './quote.js';
import type { TableName } from './quote.js';
import { refusalsOf, takenSql, uniquesOf } from './refusals.js';
import { claimSql, countSql, isCurrent, publishing, readStage, rowsTable } from './stages.js';
import { drifted, keysOf } from './tableConfig.js';
import type { TableConfig } from '../tableNodes.js';
import { describeTable } from './target.js';
import type { Target } from './target.js';
import { repeats, winnersSql } from './winners.js';

/** Rows on their way into a table. */
export interface Load {
  database: Database;
  deps: OpenDeps;
  node: TableConfig;
  name: TableName;
  marker: Marker;
}

/** Where rows may stand whose unique values new ones must not repeat. */
export const others = ({ database, node, name, marker }: Load): string[] => {
  const gathered = quoteTable(database.name, rowsTable(marker));
  if (node.mode === 'replace') return [gathered];
  return [gathered, quoteTable(database.name, name)];
};

/** What is said of rows one by one before they go where a constraint of the table would say it. */
const checkSql = (
  load: Load,
  target: Target | undefined,
  placed: readonly PlacedColumn[],
): string[] => {
  const { database, node, name } = load;
  // What is deleted need not fit.
  if (node.mode === 'delete') return [];
  const refusals = refusalsOf(database, name, target, placed).map(({ condition }) =>
    failWhere(`EXISTS (SELECT 1 FROM ${waiting} w WHERE ${condition})`, 'refused'),
  );
  if (node.mode === 'upsert') return refusals;
  const taken = uniquesOf(target, placed).map((unique) =>
    failWhere(`EXISTS (${takenSql(unique, waiting, others(load))})`, 'taken'),
  );
  return [...refusals, ...taken];
};

interface Steps {
  statements: string[];
  /** SQL: how many rows count as written, and how many as superfluous. */
  rows: string;
  coalesced: string;
}

const all = `(SELECT count(*) FROM ${waiting})`;

const gatherSql = ({ database, marker }: Load, placed: readonly PlacedColumn[], from: string) =>
  `INSERT INTO ${quoteTable(database.name, rowsTable(marker))}
     (${namesOf(placed)}, ${splitColumn}, ${rowColumn})
   SELECT ${namesOf(placed)}, ${marker.split}, ${rowColumn} FROM ${from}`;

const upsertSteps = (load: Load, placed: readonly PlacedColumn[]): Steps => {
  const { database, node, marker } = load;
  const keys = keysOf(node);
  const gathered = quoteTable(database.name, rowsTable(marker));
  const isNull = keys.map((key) => `${quoteName(key)} IS NULL`).join(' OR ');
  const isElsewhere = `EXISTS (SELECT 1 FROM ${waiting} w SEMI JOIN ${gathered} g ON ${sameKeys(keys, 'w', 'g')})`;
  const isOrdered = (node.orderBy ?? []).length > 0;
  const picked = `(SELECT count(*) FROM temp.main.fluxline_picked)`;
  return {
    statements: [
      failWhere(`EXISTS (SELECT 1 FROM ${waiting} WHERE ${isNull})`, 'null_key'),
      ...(isOrdered
        ? []
        : [failWhere(repeats(node, waiting), 'duplicate'), failWhere(isElsewhere, 'duplicate')]),
      `CREATE TEMP TABLE fluxline_picked AS ${winnersSql(node, waiting, false)}`,
      gatherSql(load, placed, 'temp.main.fluxline_picked'),
    ],
    rows: picked,
    coalesced: `${all} - ${picked}`,
  };
};

const deleteSteps = ({ database, node, name }: Load): Steps => {
  const table = quoteTable(database.name, name);
  const same = sameKeys(keysOf(node), 't', 'w');
  const found = '(SELECT n FROM temp.main.fluxline_found)';
  return {
    statements: [
      `CREATE TEMP TABLE fluxline_found AS
         SELECT count(*) AS n FROM ${waiting} w WHERE EXISTS (SELECT 1 FROM ${table} t WHERE ${same})`,
      `DELETE FROM ${table} AS t USING ${waiting} w WHERE ${same}`,
    ],
    rows: found,
    coalesced: `${all} - ${found}`,
  };
};

const stepsOf = (load: Load, placed: readonly PlacedColumn[]): Steps => {
  if (load.node.mode === 'upsert') return upsertSteps(load, placed);
  if (load.node.mode === 'delete') return deleteSteps(load);
  return { statements: [gatherSql(load, placed, waiting)], rows: all, coalesced: '0' };
};

export interface Taking {
  target: Target | undefined;
  placed: readonly PlacedColumn[];
}

/** What takes the rows now; only a replace may be without a table until the end. */
export const takingOf = async (
  { database, node, name }: Load,
  columns: BulkRead['columns'],
): Promise<Taking> => {
  const target = await describeTable(database, name);
  if (!target && node.mode !== 'replace') {
    throw drifted(`Table ${name.schema}.${name.table} does not exist any more.`);
  }
  return { target, placed: placesOf(name, target, columns, node) };
};

/** What an earlier attempt has committed; undefined where it is still to be written. */
const committed = async ({ database, marker }: Load): Promise<WriteResult | undefined> => {
  const stage = await readStage(database, marker);
  if (!stage || !isCurrent(stage, marker)) throw superseded();
  const done = stage.markers.get(marker.split);
  if (!done && stage.markers.has(publishing)) throw superseded();
  return done;
};

/** First the marker, then the rows, then their counts: one transaction, all of it or nothing. */
export const writeSplit = async (
  load: Load,
  read: BulkRead,
  progress: (counts: Counts) => void,
  where: string,
  { signal }: CallContext,
): Promise<WriteResult> => {
  const { database, deps, marker } = load;
  const done = await committed(load);
  if (done) return done;
  const { target, placed } = await takingOf(load, read.columns);
  const file = join(database.directory, 'split.csv');
  const bytes = await spoolRows(read.chunks, file, signal, (sent) =>
    progress({ rows: read.counts().rows, bytes: sent }),
  );
  const csv = readCsvSql(file, read.columns.length, deps.maxRowBytes);
  const { statements, ...counts } = stepsOf(load, placed);
  const claims = claimSql(database, marker);
  const program = [
    'BEGIN',
    ...claims,
    waitSql(placed, csv),
    failWhere(`${all} <> ${read.counts().rows}`, 'count'),
    ...checkSql(load, target, placed),
    ...statements,
    countSql(database, marker, { ...counts, bytes }),
    `SELECT ${counts.rows}, ${counts.coalesced}`,
    'COMMIT',
  ];
  const answer = await database.attempt('write', program);
  if ('results' in answer) {
    const [rows, coalesced] = answer.results.at(-2)?.rows[0] ?? [];
    return { counts: { rows: Number(rows), bytes }, coalesced: Number(coalesced), already: false };
  }
  const { problem } = answer;
  // The claim's own key was in the way: somebody was faster.
  const other =
    problem.statement === 1 && problem.type === 'Constraint' ? await committed(load) : undefined;
  if (other) return other;
  throw classify(problem, deps.role, where);
};
