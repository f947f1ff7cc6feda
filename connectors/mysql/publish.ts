import type { CallContext, Delivery } from '../connector.js';
import { claim, readStage, superseded } from './fence.js';
import { hangsOn } from './hangsOn.js';
import { publishing, readMarkers, setMarkerCounts } from './markers.js';
import { nameList, quoteTable } from './quote.js';
import type { TableName } from './quote.js';
import type { Session } from './session.js';
import { dropOwn, formerOf, shadowOf } from './shadow.js';
import { drifted, invalid, traceColumn } from './tableConfig.js';
import type { TableConfig } from '../tableNodes.js';
import { columnOf, describeTable } from './target.js';
import { transact } from './transaction.js';
import { deliveryDigest, takeTurn } from './turns.js';
import { refuseDifference } from './writeSplit.js';

interface Publishing {
  session: Session;
  name: TableName;
  delivery: Delivery;
  shadow: TableName;
  /** How many rows the splits have gathered. */
  rows: number;
}

const refuseMissingRows = async ({ session, shadow, rows }: Publishing): Promise<void> => {
  const [row] = await session.rows(`select count(*) as count from ${quoteTable(shadow)}`);
  refuseDifference(rows, Number(row?.['count']));
};

/** One transaction: the marker, the rows, their count. */
const append = async (work: Publishing): Promise<void> => {
  const { session, name, delivery, shadow, rows } = work;
  const marker = { ...delivery, split: publishing };
  await transact(session, async () => {
    const claimed = await claim(session, marker);
    if ('already' in claimed) return;
    if (!(await describeTable(session, shadow))) throw superseded();
    await refuseMissingRows(work);
    const target = await describeTable(session, name);
    if (!target) throw drifted(`Table ${name.schema}.${name.table} does not exist any more.`);
    const loaded = (await readStage(session, delivery))?.loaded ?? [];
    const isTraced = columnOf(target, traceColumn) !== undefined;
    const { affectedRows } = await session.run(
      `insert into ${target.sql} (${nameList(isTraced ? [...loaded, traceColumn] : loaded)})
       select ${nameList(loaded)}${isTraced ? `, ${claimed.token}` : ''} from ${quoteTable(shadow)}`,
    );
    refuseDifference(rows, affectedRows);
    await setMarkerCounts(session, marker, { rows, bytes: 0 }, 0);
  });
};

/** Says that the swap begins; false where it is done already. From here on only it moves the shadow. */
const announce = async (work: Publishing): Promise<boolean> => {
  const { session, delivery, shadow } = work;
  const there = await describeTable(session, shadow);
  if (there) await refuseMissingRows(work);
  return transact(session, async () => {
    const [found] = await session.rows(
      `select done from _fluxline_commits
        where root_job = ? and stage = ? and split = ? for update`,
      [delivery.rootJobId, delivery.stage, publishing],
    );
    if (found?.['done'] === '1') return false;
    // Begun by an attempt that ended before it could say that it was done.
    if (found) return true;
    if (!there) throw superseded();
    await claim(session, { ...delivery, split: publishing });
    await session.run(
      `update _fluxline_commits set done = false
        where root_job = ? and stage = ? and split = ?`,
      [delivery.rootJobId, delivery.stage, publishing],
    );
    return true;
  });
};

/**
 * Renaming tables commits by itself, so that no marker can be part of it. But whether it has
 * happened can be seen: the swap is announced, and after that the shadow is only gone once it stands
 * in the target's place. Whoever else could remove it waits for the turn that we have.
 */
const replace = async (work: Publishing): Promise<void> => {
  const { session, name, delivery, shadow, rows } = work;
  if (await announce(work)) {
    if (await describeTable(session, shadow)) await swap(work);
    const marker = { ...delivery, split: publishing };
    await transact(session, () => setMarkerCounts(session, marker, { rows, bytes: 0 }, 0));
  }
  await dropOwn(session, formerOf(name, delivery));
};

const swap = async ({ session, name, delivery, shadow }: Publishing): Promise<void> => {
  const target = await describeTable(session, name);
  const reasons = target ? await hangsOn(session, name) : [];
  if (reasons.length > 0) {
    throw invalid(
      `Table ${name.schema}.${name.table} cannot be replaced any more (${reasons.join(', ')}).`,
    );
  }
  const moves = [`${quoteTable(shadow)} to ${quoteTable(name)}`];
  if (target) moves.unshift(`${target.sql} to ${quoteTable(formerOf(name, delivery))}`);
  await session.run(`rename table ${moves.join(', ')}`);
};

/** Makes all gathered rows visible at once; a marker says that it is done. */
export const publish = async (
  session: Session,
  node: TableConfig,
  name: TableName,
  delivery: Delivery,
  { log }: CallContext,
): Promise<void> => {
  await takeTurn(session, deliveryDigest(delivery));
  const shadow = shadowOf(name, delivery);
  const row = await readStage(session, delivery);
  if (row?.generation !== delivery.generation || row.closed) throw superseded();
  if (node.mode !== 'upsert') {
    const splits = [...(await readMarkers(session, delivery))].filter(([split]) => split >= 0);
    const rows = splits.reduce((sum, [, { counts }]) => sum + counts.rows, 0);
    const work: Publishing = { session, name, delivery, shadow, rows };
    await (node.mode === 'replace' ? replace(work) : append(work));
    log.info(`${rows} rows are in ${name.schema}.${name.table} now.`);
  }
  await dropOwn(session, shadow);
};
