import { randomBytes } from 'node:crypto';
import { RunFailure } from '../../core/failures.js';
import type { Delivery, Marker, WriteResult } from '../connector.js';
import { errorNumber } from './classify.js';
import { readMarkers } from './markers.js';
import type { Row, Session } from './session.js';

const duplicateEntry = 1062;

/** Another generation has taken over, or the delivery was undone: the stage has to start over. */
export const superseded = (): RunFailure =>
  new RunFailure({
    code: 'snapshot_lost',
    class: 'transient',
    message: 'The stage has started over or was undone meanwhile: this attempt writes nothing.',
  });

/** Seen and claimed in one statement, so that nothing comes between the two. */
const claimSql = `
  insert into _fluxline_commits (root_job, stage, split, token)
  select root_job, stage, ?, ? from _fluxline_stages
   where root_job = ? and stage = ? and generation = ? and not closed
     lock in share mode`;

/**
 * First statement of a split's transaction. An earlier attempt that is still open blocks it; what
 * one that has committed wrote is the answer, and then nothing may be written any more. A token:
 * the split is this transaction's, and its rows carry it.
 */
export const claim = async (
  session: Session,
  { rootJobId, stage, split, generation }: Marker,
): Promise<WriteResult | { token: string }> => {
  // Not counted: numbers that begin anew with a new table of markers would mean other rows.
  const token = randomBytes(8).readBigUInt64LE().toString();
  try {
    const values = [split, token, rootJobId, stage, generation];
    const { affectedRows } = await session.run(claimSql, values);
    if (affectedRows === 1) return { token };
  } catch (error) {
    if (errorNumber(error) !== duplicateEntry) throw error;
    const committed = (await readMarkers(session, { rootJobId, stage, generation })).get(split);
    if (committed) return committed;
  }
  throw superseded();
};

export interface StageRow {
  generation: number;
  closed: boolean;
  loaded: readonly string[];
  /** Rows gather in a table of their own; or an upsert's keys do. */
  hasOwn: boolean;
}

const stageOf = (row: Row): StageRow => ({
  generation: Number(row['generation']),
  closed: row['closed'] === '1',
  loaded: JSON.parse(row['loaded'] ?? '[]') as string[],
  hasOwn: row['shadow'] !== null,
});

export const readStage = async (
  session: Session,
  { rootJobId, stage }: Delivery,
  lock: '' | 'for update' = '',
): Promise<StageRow | undefined> => {
  const [row] = await session.rows(
    `select generation, closed, loaded, shadow from _fluxline_stages
      where root_job = ? and stage = ? ${lock}`,
    [rootJobId, stage],
  );
  return row ? stageOf(row) : undefined;
};

/** Waits for every open split of the delivery, and lets none begin before this transaction ends. */
export const lockStage = async (session: Session, delivery: Delivery): Promise<StageRow> => {
  await session.run('insert ignore into _fluxline_stages (root_job, stage) values (?, ?)', [
    delivery.rootJobId,
    delivery.stage,
  ]);
  const row = await readStage(session, delivery, 'for update');
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
  session: Session,
  delivery: Delivery,
): Promise<Map<number, WriteResult>> => {
  const row = await readStage(session, delivery);
  const current = row?.generation === delivery.generation && !row.closed;
  return current ? readMarkers(session, delivery) : new Map<number, WriteResult>();
};

export const setStage = async (
  session: Session,
  { rootJobId, stage }: Delivery,
  { generation, closed }: Pick<StageRow, 'generation' | 'closed'>,
): Promise<void> => {
  await session.run(
    `update _fluxline_stages set generation = ?, closed = ?, shadow = null, touched_at = now()
      where root_job = ? and stage = ?`,
    [generation, closed, rootJobId, stage],
  );
};

export interface StageNote {
  shadow: { schema: string; table: string } | null;
  loaded: readonly string[];
}

/**
 * Writes down which columns are loaded, and where rows gather before. The row is left alone where it
 * says so already: splits that are being written hold it.
 */
export const noteStage = async (
  session: Session,
  { rootJobId, stage }: Delivery,
  { shadow, loaded }: StageNote,
): Promise<void> => {
  const values = [shadow?.table ?? null, shadow?.schema ?? null, JSON.stringify(loaded)];
  const [same] = await session.rows(
    `select 1 as one from _fluxline_stages
      where root_job = ? and stage = ? and shadow <=> ? and shadow_schema <=> ? and loaded <=> ?
        and touched_at > now() - interval 1 hour`,
    [rootJobId, stage, ...values],
  );
  if (same) return;
  await session.run(
    `update _fluxline_stages set shadow = ?, shadow_schema = ?, loaded = ?, touched_at = now()
      where root_job = ? and stage = ?`,
    [...values, rootJobId, stage],
  );
};
