import type pg from 'pg';
import { RunFailure } from '../../core/failures.js';
import type { CallContext, Delivery, UndoResult } from '../connector.js';
import { isCurrent, lockStage, setStage } from './fence.js';
import type { StageRow } from './fence.js';
import { deleteMarkers, hasMarkers, publishing } from './markers.js';
import type { TableName } from './quote.js';
import { dropShadow, shadowOf } from './shadow.js';
import { describeTable } from './table.js';
import type { Target } from './table.js';
import { drifted, gathers } from './tableConfig.js';
import type { TableConfig } from '../tableNodes.js';

const nothing: UndoResult = { splits: 0, rowsRemoved: 0, rowsMissing: 0 };

interface Written {
  splits: number;
  rows: number;
  xids: string[];
}

/** What markers say: of the splits, or of having published them. */
const writtenBy = async (
  client: pg.Client,
  { rootJobId, stage }: Delivery,
  which: 'splits' | 'publishing',
): Promise<Written> => {
  const { rows } = await client.query<{ splits: string; rows: string; xids: string[] }>(
    `select count(*) as splits, coalesce(sum(row_count), 0) as rows,
            coalesce(array_agg(xid(xid)::text), '{}') as xids
       from _fluxline.commits
      where root_job = $1 and stage = $2 and (split = $3) = ($4 = 'publishing')`,
    [rootJobId, stage, publishing, which],
  );
  const [row] = rows;
  return row
    ? { splits: Number(row.splits), rows: Number(row.rows), xids: row.xids }
    : { splits: 0, rows: 0, xids: [] };
};

/** The table that was loaded, and no other one that has its name by now. */
const loadedTable = async (
  client: pg.Client,
  name: TableName,
  { relation }: StageRow,
): Promise<Target> => {
  const target = await describeTable(client, name);
  if (target && (relation === null || relation === target.oid)) return target;
  throw drifted(
    `Table ${name.schema}.${name.table} is not the one that was loaded: it was dropped, renamed or replaced since. Nothing was taken back.`,
  );
};

/**
 * Removes the rows that these transactions inserted. Rows that someone has updated since carry
 * another xid: they stay, and are counted as missing.
 */
const removeRows = async (
  client: pg.Client,
  target: Target,
  written: Written,
): Promise<{ rowsRemoved: number; rowsMissing: number }> => {
  const { rowCount } = await client.query(
    `delete from ${target.sql} where xmin = any ($1::text[]::xid[])`,
    [written.xids],
  );
  const rowsRemoved = rowCount ?? 0;
  if (rowsRemoved <= written.rows) return { rowsRemoved, rowsMissing: written.rows - rowsRemoved };
  throw new RunFailure({
    code: 'count_mismatch',
    class: 'internal',
    message: `${written.rows} rows were written and ${rowsRemoved} would be removed: nothing was taken back.`,
  });
};

const takeBack = async (
  client: pg.Client,
  node: TableConfig,
  name: TableName,
  delivery: Delivery,
  row: StageRow,
  { log }: CallContext,
): Promise<UndoResult> => {
  const splits = await writtenBy(client, delivery, 'splits');
  const published = await writtenBy(client, delivery, 'publishing');
  const dropped = gathers(node) && (await dropShadow(client, shadowOf(name, delivery)));
  const isAppend = node.mode === undefined || node.mode === 'append';
  const inTable = gathers(node) ? published : splits;
  let rows = { rowsRemoved: dropped ? splits.rows : 0, rowsMissing: 0 };
  if (isAppend && inTable.splits > 0) {
    rows = await removeRows(client, await loadedTable(client, name, row), inTable);
  } else if (inTable.splits > 0) {
    log.warn(`What was written in mode ${node.mode ?? ''} stays in ${name.schema}.${name.table}.`);
  }
  await deleteMarkers(client, delivery);
  return { splits: splits.splits, ...rows };
};

/** The delivery goes on in a new generation, as if nothing had been written. */
export const advance = async (
  client: pg.Client,
  node: TableConfig,
  name: TableName,
  delivery: Delivery,
  ctx: CallContext,
): Promise<UndoResult> => {
  const row = await lockStage(client, delivery);
  if (isCurrent(row, delivery)) return nothing;
  const result = await takeBack(client, node, name, delivery, row, ctx);
  await setStage(client, delivery, { generation: delivery.generation, closed: false });
  return result;
};

/** The delivery is over: whoever still writes for it is refused. */
export const undoDelivery = async (
  client: pg.Client,
  node: TableConfig,
  name: TableName,
  delivery: Delivery,
  ctx: CallContext,
): Promise<UndoResult> => {
  if (!(await hasMarkers(client))) return nothing;
  const row = await lockStage(client, delivery);
  const result = await takeBack(client, node, name, delivery, row, ctx);
  const generation = Math.max(row.generation, delivery.generation);
  await setStage(client, delivery, { generation, closed: true });
  return result;
};
