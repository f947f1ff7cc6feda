import type pg from 'pg';
import { loadTable, sameKeys } from './loadTable.js';

export interface Deleted {
  /** Rows of the split that found something to delete. */
  found: number;
  /** Rows of the table that are gone: more, where its keys are not unique. */
  removed: number;
}

/** Removes the rows whose keys wait. NULL equals nothing, and finds nothing. */
export const deleteRows = async (
  client: pg.Client,
  target: string,
  keys: readonly string[],
): Promise<Deleted> => {
  await client.query(`analyze ${loadTable}`);
  const { rows } = await client.query<{ removed: string; found: string }>(
    `with gone as (delete from ${target} t using ${loadTable} l where ${sameKeys(keys)} returning l.ctid as row)
     select count(*) as removed, count(distinct row) as found from gone`,
  );
  return { found: Number(rows[0]?.found ?? 0), removed: Number(rows[0]?.removed ?? 0) };
};
