import { RunFailure } from '../../core/failures.js';
import type { CallContext, Delivery, UndoResult } from '../connector.js';
import { isCurrent, lockStage, setStage } from './fence.js';
import type { StageRow } from './fence.js';
import { deleteMarkers, hasMarkers, publishing, readMarkers, tokensOf } from './markers.js';
import { quoteName } from './quote.js';
import type { TableName } from './quote.js';
import type { Session } from './session.js';
import { dropOwn, shadowOf } from './shadow.js';
import { traceColumn } from './tableConfig.js';
import type { TableConfig } from '../tableNodes.js';
import { columnOf, describeTable } from './target.js';
import { transact } from './transaction.js';
import { deliveryDigest, takeTurn } from './turns.js';

const nothing: UndoResult = { splits: 0, rowsRemoved: 0, rowsMissing: 0 };

const cannotTell = (name: TableName, rows: number): RunFailure =>
  new RunFailure({
    code: 'config_invalid',
    class: 'config',
    message: `All ${rows} rows are in ${name.schema}.${name.table} already, and nothing in it says which of its rows they are: nothing was taken back. Remove them by a condition of your own.`,
  });

/** Within the transaction that holds the stage alone: no split of it is open any more. */
const forget = async (
  session: Session,
  node: TableConfig,
  name: TableName,
  delivery: Delivery,
  { hasOwn }: StageRow,
  { log }: CallContext,
): Promise<UndoResult> => {
  const markers = await readMarkers(session, delivery);
  const splits = [...markers].filter(([split]) => split !== publishing);
  const rows = splits.reduce((sum, [, { counts }]) => sum + counts.rows, 0);
  const isAppend = node.mode === undefined || node.mode === 'append';
  const isInTable = markers.has(publishing) || !(isAppend || node.mode === 'replace') || !hasOwn;
  let removed = { rowsRemoved: isInTable ? 0 : rows, rowsMissing: 0 };
  if (isAppend && isInTable && rows > 0) {
    removed = await removeRows(session, name, await tokensOf(session, delivery), rows);
  } else if (isInTable && rows > 0) {
    log.warn(`What was written in mode ${node.mode ?? ''} stays in ${name.schema}.${name.table}.`);
  }
  await deleteMarkers(session, delivery);
  return { splits: splits.length, ...removed };
};

/** Rows that someone has removed since are missing; those that someone has changed go as well. */
const removeRows = async (
  session: Session,
  name: TableName,
  tokens: readonly string[],
  rows: number,
): Promise<{ rowsRemoved: number; rowsMissing: number }> => {
  const target = await describeTable(session, name);
  if (!target || !columnOf(target, traceColumn)) throw cannotTell(name, rows);
  const { affectedRows } = await session.run(
    `delete from ${target.sql} where ${quoteName(traceColumn)} in (${tokens.join(', ')})`,
  );
  return { rowsRemoved: affectedRows, rowsMissing: Math.max(0, rows - affectedRows) };
};

/** What gathered under the stage's own generation, and is nobody's from here on. */
const dropGathered = (
  session: Session,
  name: TableName,
  delivery: Delivery,
  { generation }: StageRow,
): Promise<boolean> => dropOwn(session, shadowOf(name, { ...delivery, generation }));

/** The delivery goes on in a new generation, as if nothing had been written. */
export const advance = async (
  session: Session,
  node: TableConfig,
  name: TableName,
  delivery: Delivery,
  ctx: CallContext,
): Promise<UndoResult> => {
  await takeTurn(session, deliveryDigest(delivery));
  let former: StageRow | undefined;
  const result = await transact(session, async () => {
    const row = await lockStage(session, delivery);
    if (isCurrent(row, delivery)) return nothing;
    former = row;
    const undone = await forget(session, node, name, delivery, row, ctx);
    await setStage(session, delivery, { generation: delivery.generation, closed: false });
    return undone;
  });
  if (former) await dropGathered(session, name, delivery, former);
  return result;
};

/** The delivery is over: whoever still writes for it is refused. */
export const undoDelivery = async (
  session: Session,
  node: TableConfig,
  name: TableName,
  delivery: Delivery,
  ctx: CallContext,
): Promise<UndoResult> => {
  if (!(await hasMarkers(session))) return nothing;
  await takeTurn(session, deliveryDigest(delivery));
  let former: StageRow | undefined;
  const result = await transact(session, async () => {
    const row = await lockStage(session, delivery);
    former = row;
    const undone = await forget(session, node, name, delivery, row, ctx);
    const generation = Math.max(row.generation, delivery.generation);
    await setStage(session, delivery, { generation, closed: true });
    return undone;
  });
  if (former) await dropGathered(session, name, delivery, former);
  return result;
};
