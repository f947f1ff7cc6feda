import type pg from 'pg';
import type { Counts, Marker } from '../connector.js';

/**
 * One row per committed split, written in the transaction of its rows: the destination itself
 * knows what it has. The xid tells which rows are the split's, for undo.
 */
const ddl = `
create schema if not exists _fluxline;
create table if not exists _fluxline.commits (
  root_job uuid not null,
  stage text not null,
  split integer not null,
  xid xid8 not null default pg_current_xact_id(),
  row_count bigint not null default 0,
  byte_count bigint not null default 0,
  committed_at timestamptz not null default now(),
  primary key (root_job, stage, split)
)`;

const uniqueViolation = '23505';

interface MarkerRow {
  split: number;
  row_count: string;
  byte_count: string;
}

const countsOf = (row: MarkerRow): Counts => ({
  rows: Number(row.row_count),
  bytes: Number(row.byte_count),
});

export const hasMarkers = async (client: pg.Client): Promise<boolean> => {
  const { rows } = await client.query<{ there: boolean }>(
    `select to_regclass('_fluxline.commits') is not null as there`,
  );
  return rows[0]?.there ?? false;
};

/** Creating is only tried where it is missing: a user without CREATE can still load. */
export const ensureMarkers = async (client: pg.Client): Promise<void> => {
  if (await hasMarkers(client)) return;
  // Two runs may meet here; `if not exists` alone does not keep them from colliding.
  await client.query(`select pg_advisory_xact_lock(hashtextextended('_fluxline.commits', 0))`);
  if (!(await hasMarkers(client))) await client.query(ddl);
};

/**
 * First statement of a split's transaction. An earlier attempt that is still open blocks it; one
 * that has committed makes it fail, and then its counts are the answer.
 */
export const claimMarker = async (client: pg.Client, marker: Marker): Promise<boolean> => {
  try {
    await client.query(
      'insert into _fluxline.commits (root_job, stage, split) values ($1, $2, $3)',
      [marker.rootJobId, marker.stage, marker.split],
    );
    return true;
  } catch (error) {
    if ((error as { code?: string }).code !== uniqueViolation) throw error;
    await client.query('rollback');
    await client.query('begin');
    return false;
  }
};

export const setMarkerCounts = async (
  client: pg.Client,
  marker: Marker,
  counts: Counts,
): Promise<void> => {
  await client.query(
    `update _fluxline.commits set row_count = $4, byte_count = $5
      where root_job = $1 and stage = $2 and split = $3`,
    [marker.rootJobId, marker.stage, marker.split, counts.rows, counts.bytes],
  );
};

export const readMarkers = async (
  client: pg.Client,
  rootJobId: string,
  stage: string,
): Promise<Map<number, Counts>> => {
  const { rows } = await client.query<MarkerRow>(
    `select split, row_count, byte_count from _fluxline.commits where root_job = $1 and stage = $2`,
    [rootJobId, stage],
  );
  return new Map(rows.map((row) => [row.split, countsOf(row)]));
};
