import type pg from 'pg';
import type { Counts, Delivery, WriteResult } from '../connector.js';

/**
 * What the destination itself knows of deliveries, in the transactions of their rows. `commits`
 * has one row per committed split; the xid tells which rows are the split's. `stages` has one row
 * per delivery: whoever writes holds it shared and whoever takes back holds it alone, so that no
 * split slips in between.
 */
const ddl = `
create table if not exists _fluxline.commits (
  root_job uuid not null,
  stage text not null,
  split integer not null,
  xid xid8 not null default pg_current_xact_id(),
  row_count bigint not null default 0,
  byte_count bigint not null default 0,
  coalesced bigint not null default 0,
  committed_at timestamptz not null default now(),
  primary key (root_job, stage, split)
);
alter table _fluxline.commits add column if not exists coalesced bigint not null default 0;
create table if not exists _fluxline.stages (
  root_job uuid not null,
  stage text not null,
  generation integer not null default 0,
  -- Undone: nothing is written any more until a later generation begins.
  closed boolean not null default false,
  -- The table that is loaded, by its oid: after a restore, or in its place, there is another one.
  relation oid,
  -- Where rows gather until they are published, quoted.
  shadow text,
  -- The columns that are loaded into it.
  loaded text[] not null default '{}',
  touched_at timestamptz not null default now(),
  primary key (root_job, stage)
)`;

/** The split that stands for making a whole delivery visible. */
export const publishing = -1;

const thereSql = `
  select exists (select from pg_attribute
                  where attrelid = to_regclass('_fluxline.commits') and attname = 'coalesced')
     and to_regclass('_fluxline.stages') is not null as there`;

/** False also where an earlier version has left tables that lack something. */
export const hasMarkers = async (client: pg.Client): Promise<boolean> => {
  const { rows } = await client.query<{ there: boolean }>(thereSql);
  return rows[0]?.there ?? false;
};

/** Creating is only tried where it is missing: a user without CREATE can still load. */
export const ensureMarkers = async (client: pg.Client): Promise<void> => {
  if (await hasMarkers(client)) return;
  // Two runs may meet here; `if not exists` alone does not keep them from colliding.
  await client.query(`select pg_advisory_xact_lock(hashtextextended('_fluxline.commits', 0))`);
  if (await hasMarkers(client)) return;
  // Someone may have made the schema for a user who could not.
  const { rows } = await client.query<{ there: boolean }>(
    `select to_regnamespace('_fluxline') is not null as there`,
  );
  if (!rows[0]?.there) await client.query('create schema _fluxline');
  await client.query(ddl);
};

/** Nobody retries or undoes what is older. A few at a time, and not those someone else is at. */
const pruneSql = `
  delete from _fluxline.commits where ctid = any (array(
    select ctid from _fluxline.commits where committed_at < now() - interval '90 days'
     limit 10000 for update skip locked));
  delete from _fluxline.stages where ctid = any (array(
    select ctid from _fluxline.stages
     where touched_at < now() - interval '90 days' and shadow is null
     limit 1000 for update skip locked))`;

export const pruneMarkers = async (client: pg.Client): Promise<void> => {
  await client.query(pruneSql);
};

interface MarkerRow {
  split: number;
  row_count: string;
  byte_count: string;
  coalesced: string;
}

const resultOf = (row: MarkerRow): WriteResult => ({
  counts: { rows: Number(row.row_count), bytes: Number(row.byte_count) },
  coalesced: Number(row.coalesced),
  already: true,
});

/** By split; that of publishing among them. */
export const readMarkers = async (
  client: pg.Client,
  { rootJobId, stage }: Delivery,
): Promise<Map<number, WriteResult>> => {
  const { rows } = await client.query<MarkerRow>(
    `select split, row_count, byte_count, coalesced from _fluxline.commits
      where root_job = $1 and stage = $2`,
    [rootJobId, stage],
  );
  return new Map(rows.map((row) => [row.split, resultOf(row)]));
};

export const setMarkerCounts = async (
  client: pg.Client,
  { rootJobId, stage, split }: Delivery & { split: number },
  { rows, bytes }: Counts,
  coalesced: number,
): Promise<void> => {
  await client.query(
    `update _fluxline.commits set row_count = $4, byte_count = $5, coalesced = $6
      where root_job = $1 and stage = $2 and split = $3`,
    [rootJobId, stage, split, rows, bytes, coalesced],
  );
};

export const deleteMarkers = async (
  client: pg.Client,
  { rootJobId, stage }: Delivery,
): Promise<void> => {
  await client.query('delete from _fluxline.commits where root_job = $1 and stage = $2', [
    rootJobId,
    stage,
  ]);
};

/** The transactions of a delivery's splits, as `xmin` shows them. */
export const xidsOf = async (
  client: pg.Client,
  { rootJobId, stage }: Delivery,
): Promise<string[]> => {
  const { rows } = await client.query<{ xid: string }>(
    `select xid(xid)::text as xid from _fluxline.commits where root_job = $1 and stage = $2
        and xid <> pg_current_xact_id()`,
    [rootJobId, stage],
  );
  return rows.map(({ xid }) => xid);
};
