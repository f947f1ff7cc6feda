import type pg from 'pg';
import { RunFailure } from '../../core/failures.js';
import type { Delivery, Marker, WriteResult } from '../connector.js';
import { readMarkers } from './markers.js';

/** Another generation has taken over, or the delivery was undone: the stage has to start over. */
export const superseded = (): RunFailure =>
  new RunFailure({
    code: 'snapshot_lost',
    class: 'transient',
    message: 'The stage has started over or was undone meanwhile: this attempt writes nothing.',
  });

/** Seen and claimed in one statement, so that nothing comes between the two. */
const claimSql = `
  with fence as (
    select root_job, stage from _fluxline.stages
     where root_job = $1 and stage = $2 and generation = $4 and not closed for share
  ), claimed as (
    insert into _fluxline.commits (root_job, stage, split)
    select root_job, stage, $3::integer from fence on conflict do nothing returning 1
  )
  select exists (select from fence) as current, exists (select from claimed) as claimed`;

/**
 * First statement of a split's transaction. An earlier attempt that is still open blocks it; what
 * one that has committed wrote is the answer, and then nothing may be written any more. Undefined:
 * the split is this transaction's.
 */
export const claim = async (
  client: pg.Client,
  marker: Marker,
): Promise<WriteResult | undefined> => {
  const { rows } = await client.query<{ current: boolean; claimed: boolean }>(claimSql, [
    marker.rootJobId,
    marker.stage,
    marker.split,
    marker.generation,
  ]);
  if (!rows[0]?.current) throw superseded();
  if (rows[0].claimed) return undefined;
  const committed = (await readMarkers(client, marker)).get(marker.split);
  if (!committed) throw superseded();
  return committed;
};

export interface StageRow {
  generation: number;
  closed: boolean;
  /** The table's oid when the delivery began; null where nobody wrote it down. */
  relation: number | null;
}

const rowSql = `select generation, closed, relation from _fluxline.stages
  where root_job = $1 and stage = $2`;

const readStage = async (
  client: pg.Client,
  { rootJobId, stage }: Delivery,
  lock = '',
): Promise<StageRow | undefined> => {
  const { rows } = await client.query<StageRow>(`${rowSql} ${lock}`, [rootJobId, stage]);
  return rows[0];
};

/** Waits for every open split of the delivery, and lets none begin before this transaction ends. */
export const lockStage = async (client: pg.Client, delivery: Delivery): Promise<StageRow> => {
  await client.query(
    'insert into _fluxline.stages (root_job, stage) values ($1, $2) on conflict do nothing',
    [delivery.rootJobId, delivery.stage],
  );
  const row = await readStage(client, delivery, 'for update');
  if (!row) throw superseded();
  return row;
};

/** Whether the destination is at this very generation; refuses what is older than it. */
export const isCurrent = (row: StageRow, { generation }: Delivery): boolean => {
  if (row.generation > generation) throw superseded();
  return row.generation === generation && !row.closed;
};

/** What is committed in this generation; what is left of older ones does not count. */
export const committedSplits = async (
  client: pg.Client,
  delivery: Delivery,
): Promise<Map<number, WriteResult>> => {
  const row = await readStage(client, delivery);
  // Without a row, an earlier version has written the markers: in what is now generation 0.
  const current = row ? row.generation === delivery.generation && !row.closed : true;
  return current ? readMarkers(client, delivery) : new Map<number, WriteResult>();
};

/** The row where the delivery can go on as it is; undefined where it has to make way first. */
export const currentStage = async (
  client: pg.Client,
  delivery: Delivery,
): Promise<StageRow | undefined> => {
  const row = await readStage(client, delivery);
  if (row?.closed && row.generation >= delivery.generation) throw superseded();
  return row && isCurrent(row, delivery) ? row : undefined;
};

export const setStage = async (
  client: pg.Client,
  { rootJobId, stage }: Delivery,
  { generation, closed }: Pick<StageRow, 'generation' | 'closed'>,
): Promise<void> => {
  await client.query(
    `update _fluxline.stages set generation = $3, closed = $4, shadow = null, touched_at = now()
      where root_job = $1 and stage = $2`,
    [rootJobId, stage, generation, closed],
  );
};

export interface StageNote {
  relation: number | null;
  shadow: string | null;
  loaded: readonly string[];
}

/**
 * Writes down which table is loaded, and where its rows gather before. The row is left alone where
 * it says so already: splits that are being written hold it.
 */
export const noteStage = async (
  client: pg.Client,
  { rootJobId, stage }: Delivery,
  { relation, shadow, loaded }: StageNote,
): Promise<void> => {
  await client.query(
    `update _fluxline.stages set relation = $3, shadow = $4, loaded = $5, touched_at = now()
      where root_job = $1 and stage = $2
        and ((relation, shadow, loaded) is distinct from ($3::oid, $4::text, $5::text[])
             or touched_at < now() - interval '1 hour')`,
    [rootJobId, stage, relation, shadow, [...loaded]],
  );
};

export const loadedColumns = async (
  client: pg.Client,
  { rootJobId, stage }: Delivery,
): Promise<readonly string[]> => {
  const { rows } = await client.query<{ loaded: string[] }>(
    'select loaded from _fluxline.stages where root_job = $1 and stage = $2',
    [rootJobId, stage],
  );
  return rows[0]?.loaded ?? [];
};
