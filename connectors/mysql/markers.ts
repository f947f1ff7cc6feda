import type { Counts, Delivery, WriteResult } from '../connector.js';
import type { Session } from './session.js';

/**
 * What the destination itself knows of deliveries, in the transactions of their rows: in the
 * connection's database, since MySQL has no schemas within one. `commits` has one row per committed
 * split. `stages` has one row per delivery: whoever writes holds it shared and whoever takes back
 * holds it alone, so that no split slips in between.
 */
const ddl = [
  `create table if not exists _fluxline_commits (
    root_job char(36) not null,
    stage varchar(255) not null,
    split int not null,
    row_count bigint not null default 0,
    byte_count bigint not null default 0,
    coalesced bigint not null default 0,
    done boolean not null default true,
    token bigint unsigned not null,
    committed_at timestamp not null default current_timestamp,
    primary key (root_job, stage, split)
  ) engine = InnoDB default character set utf8mb4 collate utf8mb4_bin`,
  `create table if not exists _fluxline_stages (
    root_job char(36) not null,
    stage varchar(255) not null,
    generation int not null default 0,
    closed boolean not null default false,
    shadow varchar(64),
    shadow_schema varchar(64),
    loaded longtext,
    touched_at timestamp not null default current_timestamp,
    primary key (root_job, stage)
  ) engine = InnoDB default character set utf8mb4 collate utf8mb4_bin`,
];

/** The split that stands for making a whole delivery visible. */
export const publishing = -1;

export const hasMarkers = async (session: Session): Promise<boolean> => {
  const rows = await session.rows(
    `select 1 as one from information_schema.tables where table_schema = database()
        and table_name in ('_fluxline_commits', '_fluxline_stages')`,
  );
  return rows.length === 2;
};

/** Creating is only tried where it is missing: a user without CREATE can still load. */
export const ensureMarkers = async (session: Session): Promise<void> => {
  if (await hasMarkers(session)) return;
  for (const sql of ddl) await session.run(sql);
};

/** Older than any retry; a few at a time. */
export const pruneMarkers = async (session: Session): Promise<void> => {
  await session.run(
    `delete from _fluxline_commits where committed_at < now() - interval 90 day limit 10000`,
  );
  await session.run(
    `delete from _fluxline_stages
      where touched_at < now() - interval 90 day and shadow is null limit 1000`,
  );
};

/** By split; that of publishing among them, once it is done. */
export const readMarkers = async (
  session: Session,
  { rootJobId, stage }: Delivery,
): Promise<Map<number, WriteResult>> => {
  const rows = await session.rows(
    `select split, row_count, byte_count, coalesced from _fluxline_commits
      where root_job = ? and stage = ? and done`,
    [rootJobId, stage],
  );
  return new Map(
    rows.map((row): [number, WriteResult] => [
      Number(row['split']),
      {
        counts: { rows: Number(row['row_count']), bytes: Number(row['byte_count']) },
        coalesced: Number(row['coalesced']),
        already: true,
      },
    ]),
  );
};

export const setMarkerCounts = async (
  session: Session,
  { rootJobId, stage, split }: Delivery & { split: number },
  { rows, bytes }: Counts,
  coalesced: number,
): Promise<void> => {
  await session.run(
    `update _fluxline_commits set row_count = ?, byte_count = ?, coalesced = ?, done = true
      where root_job = ? and stage = ? and split = ?`,
    [rows, bytes, coalesced, rootJobId, stage, split],
  );
};

/** What the rows of a delivery carry, where they are in the table itself. */
export const tokensOf = async (
  session: Session,
  { rootJobId, stage }: Delivery,
): Promise<readonly string[]> => {
  const rows = await session.rows(
    'select token from _fluxline_commits where root_job = ? and stage = ?',
    [rootJobId, stage],
  );
  return rows.map(({ token }) => token ?? '');
};

export const deleteMarkers = async (
  session: Session,
  { rootJobId, stage }: Delivery,
): Promise<void> => {
  await session.run('delete from _fluxline_commits where root_job = ? and stage = ?', [
    rootJobId,
    stage,
  ]);
};
