/**
 * What the file itself knows of deliveries, in the transactions of their rows. `commits` has one row
 * per committed split; `stages` has one per delivery, with the generation that may write.
 */
import { createHash } from 'node:crypto';
import type { Delivery, Marker, WriteResult } from '../connector.js';
import { failWhere, superseded } from './classify.js';
import type { Database } from './database.js';
import { nameIn, quoteTable, quoteText } from './quote.js';
import type { TableName } from './quote.js';

const schema = '_fluxline';

/** The split that stands for making a whole delivery visible. */
export const publishing = -1;

const commits = ({ name }: Database): string => quoteTable(name, { schema, table: 'commits' });
const stages = ({ name }: Database): string => quoteTable(name, { schema, table: 'stages' });

/** Older than any retry. */
const keepDays = 90;

export const ensureSql = (database: Database): string[] => [
  `CREATE SCHEMA IF NOT EXISTS ${nameIn(database.name, schema)}`,
  `CREATE TABLE IF NOT EXISTS ${commits(database)} (
     root_job VARCHAR NOT NULL, stage VARCHAR NOT NULL, split INTEGER NOT NULL,
     row_count BIGINT NOT NULL, byte_count BIGINT NOT NULL, coalesced BIGINT NOT NULL,
     committed_at TIMESTAMP NOT NULL, PRIMARY KEY (root_job, stage, split))`,
  `CREATE TABLE IF NOT EXISTS ${stages(database)} (
     root_job VARCHAR NOT NULL, stage VARCHAR NOT NULL, generation INTEGER NOT NULL,
     closed BOOLEAN NOT NULL, touched_at TIMESTAMP NOT NULL, PRIMARY KEY (root_job, stage))`,
  `DELETE FROM ${commits(database)}
    WHERE committed_at < CAST(now() AS TIMESTAMP) - INTERVAL ${keepDays} DAY`,
  `DELETE FROM ${stages(database)}
    WHERE touched_at < CAST(now() AS TIMESTAMP) - INTERVAL ${keepDays} DAY`,
];

const ofDelivery = ({ rootJobId, stage }: Delivery): string =>
  `root_job = ${quoteText(rootJobId)} AND stage = ${quoteText(stage)}`;

const digestOf = ({ rootJobId, stage }: Delivery): string =>
  createHash('sha256').update(`${rootJobId}/${stage}`).digest('hex').slice(0, 32);

/** The table in which a generation's rows gather until all of them are there. */
export const rowsTable = (delivery: Delivery): TableName => ({
  schema,
  table: `rows_${digestOf(delivery)}_${delivery.generation}`,
});

export interface Stage {
  generation: number;
  closed: boolean;
  /** Of the generation that is current; that of publishing among them, once it is done. */
  markers: ReadonlyMap<number, WriteResult>;
  /** Tables of rows of whatever generation. */
  gathered: readonly TableName[];
}

const has = async (database: Database): Promise<boolean> => {
  if (!database.exists) return false;
  const [found] = await database.run('read', [
    `SELECT 1 FROM duckdb_tables() WHERE database_name = ${quoteText(database.name)}
        AND schema_name = ${quoteText(schema)} AND table_name IN ('commits', 'stages')`,
  ]);
  return found?.rows.length === 2;
};

/** Undefined where the delivery has not begun. */
export const readStage = async (
  database: Database,
  delivery: Delivery,
): Promise<Stage | undefined> => {
  if (!(await has(database))) return undefined;
  const [row, markers, tables] = await database.run('read', [
    `SELECT generation, closed FROM ${stages(database)} WHERE ${ofDelivery(delivery)}`,
    `SELECT split, row_count, byte_count, coalesced FROM ${commits(database)}
      WHERE ${ofDelivery(delivery)}`,
    `SELECT table_name FROM duckdb_tables() WHERE database_name = ${quoteText(database.name)}
        AND schema_name = ${quoteText(schema)}
        AND starts_with(table_name, ${quoteText(`rows_${digestOf(delivery)}_`)})`,
  ]);
  const [found] = row?.rows ?? [];
  if (!found) return undefined;
  return {
    generation: Number(found[0]),
    closed: found[1] === true,
    markers: new Map(
      (markers?.rows ?? []).map(([split, rows, bytes, coalesced]): [number, WriteResult] => [
        Number(split),
        {
          counts: { rows: Number(rows), bytes: Number(bytes) },
          coalesced: Number(coalesced),
          already: true,
        },
      ]),
    ),
    gathered: (tables?.rows ?? []).map(([table]) => ({ schema, table: String(table) })),
  };
};

/** Whether the file is at this very generation; refuses what is older than it. */
export const isCurrent = (stage: Stage | undefined, { generation }: Delivery): boolean => {
  if (stage && stage.generation > generation) throw superseded();
  return stage?.generation === generation && !stage.closed;
};

const isAt = (database: Database, delivery: Delivery): string =>
  `EXISTS (SELECT 1 FROM ${stages(database)} WHERE ${ofDelivery(delivery)}
     AND generation = ${delivery.generation} AND NOT closed)`;

/**
 * First statements of a split's transaction: one that is committed already is in the way of the
 * first, and a generation that is over leaves the second without its row.
 */
export const claimSql = (database: Database, marker: Marker): string[] => [
  `INSERT INTO ${commits(database)}
   SELECT root_job, stage, ${marker.split}, 0, 0, 0, CAST(now() AS TIMESTAMP)
     FROM ${stages(database)}
    WHERE ${ofDelivery(marker)} AND generation = ${marker.generation} AND NOT closed`,
  failWhere(`NOT ${isAt(database, marker)}`, 'superseded'),
];

/** `rows` and `coalesced` are SQL. */
export const countSql = (
  database: Database,
  marker: Marker,
  { rows, coalesced, bytes }: { rows: string; coalesced: string; bytes: number },
): string =>
  `UPDATE ${commits(database)}
      SET row_count = ${rows}, coalesced = ${coalesced}, byte_count = ${bytes}
    WHERE ${ofDelivery(marker)} AND split = ${marker.split}`;

/** What all splits together have gathered. */
export const gatheredCount = (database: Database, delivery: Delivery): string =>
  `(SELECT coalesce(sum(row_count), 0) FROM ${commits(database)}
     WHERE ${ofDelivery(delivery)} AND split <> ${publishing})`;

/** The delivery is at this generation from here on, with nothing written; or it is over. */
export const moveSql = (
  database: Database,
  delivery: Delivery,
  { closed, gathered }: { closed: boolean; gathered: readonly TableName[] },
): string[] => [
  failWhere(
    `EXISTS (SELECT 1 FROM ${stages(database)} WHERE ${ofDelivery(delivery)}
       AND generation > ${delivery.generation})`,
    'superseded',
  ),
  `DELETE FROM ${commits(database)} WHERE ${ofDelivery(delivery)}`,
  ...gathered.map((table) => `DROP TABLE IF EXISTS ${quoteTable(database.name, table)}`),
  `INSERT INTO ${stages(database)}
   VALUES (${quoteText(delivery.rootJobId)}, ${quoteText(delivery.stage)}, ${delivery.generation},
           ${closed}, CAST(now() AS TIMESTAMP))
   ON CONFLICT DO UPDATE SET generation = excluded.generation, closed = excluded.closed,
                             touched_at = excluded.touched_at`,
];

/** Says that somebody goes on with it, if it is still at this generation. */
export const touchSql = (database: Database, delivery: Delivery): string[] => [
  failWhere(`NOT ${isAt(database, delivery)}`, 'superseded'),
  `UPDATE ${stages(database)} SET touched_at = CAST(now() AS TIMESTAMP)
    WHERE ${ofDelivery(delivery)}`,
];

/** Rows of runs that nobody has gone on with for a week; a retry after that starts over. */
export const abandonedTables = async (database: Database): Promise<TableName[]> => {
  if (!(await has(database))) return [];
  const [alive, tables] = await database.run('read', [
    `SELECT root_job, stage, generation FROM ${stages(database)}
      WHERE touched_at > CAST(now() AS TIMESTAMP) - INTERVAL 7 DAY`,
    `SELECT table_name FROM duckdb_tables() WHERE database_name = ${quoteText(database.name)}
        AND schema_name = ${quoteText(schema)}
        AND regexp_full_match(table_name, 'rows_[0-9a-f]{32}_[0-9]+')`,
  ]);
  const used = new Set(
    (alive?.rows ?? []).map(
      ([rootJobId, stage, generation]) =>
        rowsTable({
          rootJobId: String(rootJobId),
          stage: String(stage),
          generation: Number(generation),
        }).table,
    ),
  );
  return (tables?.rows ?? [])
    .map(([table]) => ({ schema, table: String(table) }))
    .filter(({ table }) => !used.has(table));
};
