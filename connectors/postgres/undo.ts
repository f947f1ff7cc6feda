import type pg from 'pg';
import type { UndoResult } from '../connector.js';
import { hasMarkers } from './markers.js';
import { quoteTable } from './quote.js';
import type { TableName } from './quote.js';

/**
 * Removes the rows that a delivery's transactions inserted, found by the xid each marker holds.
 * Rows that someone has updated since carry another xid: they stay, and are counted as missing.
 */
export const undoStage = async (
  client: pg.Client,
  name: TableName,
  rootJobId: string,
  stage: string,
): Promise<UndoResult> => {
  const nothing = { splits: 0, rowsRemoved: 0, rowsMissing: 0 };
  if (!(await hasMarkers(client))) return nothing;
  const { rows } = await client.query<{ splits: string; row_count: string; xids: string[] | null }>(
    `select count(*) as splits, coalesce(sum(row_count), 0) as row_count,
            array_agg(xid(m.xid)::text) as xids
       from (select * from _fluxline.commits where root_job = $1 and stage = $2 for update) m`,
    [rootJobId, stage],
  );
  const markers = rows[0];
  if (!markers?.xids) return nothing;
  const removed = await client.query(
    `delete from ${quoteTable(name)} where xmin = any($1::text[]::xid[])`,
    [markers.xids],
  );
  await client.query('delete from _fluxline.commits where root_job = $1 and stage = $2', [
    rootJobId,
    stage,
  ]);
  const rowsRemoved = removed.rowCount ?? 0;
  return {
    splits: Number(markers.splits),
    rowsRemoved,
    rowsMissing: Number(markers.row_count) - rowsRemoved,
  };
};
