import { RunFailure } from '../../core/failures.js';
import type { CallContext, Delivery, UndoResult } from '../connector.js';
import type { Database } from './database.js';
import type { TableName } from './quote.js';
import { ensureSql, isCurrent, moveSql, publishing, readStage } from './stages.js';
import type { Stage } from './stages.js';
import type { TableConfig } from '../tableNodes.js';

const nothing: UndoResult = { splits: 0, rowsRemoved: 0, rowsMissing: 0 };

const cannotTell = (name: TableName, rows: number): RunFailure =>
  new RunFailure({
    code: 'config_invalid',
    class: 'config',
    message: `All ${rows} rows are in ${name.schema}.${name.table} already, and nothing in it says which of its rows they are: nothing was taken back. Remove them by a condition of your own.`,
  });

const splitsOf = ({ markers }: Stage) =>
  [...markers].filter(([split]) => split !== publishing).map(([, { counts }]) => counts.rows);

/** What becomes of the rows of a delivery that is taken back. */
const takenBack = (
  stage: Stage,
  node: TableConfig,
  name: TableName,
  { log }: CallContext,
): UndoResult => {
  const splits = splitsOf(stage);
  const rows = splits.reduce((sum, count) => sum + count, 0);
  const isInTable = stage.markers.has(publishing) || node.mode === 'delete';
  const isAppend = node.mode === undefined || node.mode === 'append';
  if (isInTable && isAppend && rows > 0) throw cannotTell(name, rows);
  if (isInTable && rows > 0) {
    log.warn(`What was written in mode ${node.mode ?? ''} stays in ${name.schema}.${name.table}.`);
  }
  return { splits: splits.length, rowsRemoved: isInTable ? 0 : rows, rowsMissing: 0 };
};

/** The delivery goes on in this generation, as if nothing had been written. */
export const startAnewSql = (
  database: Database,
  node: TableConfig,
  name: TableName,
  delivery: Delivery,
  stage: Stage | undefined,
  ctx: CallContext,
): string[] => {
  if (stage) takenBack(stage, node, name, ctx);
  return moveSql(database, delivery, { closed: false, gathered: stage?.gathered ?? [] });
};

/** Makes way for `delivery.generation`. */
export const advance = async (
  database: Database,
  node: TableConfig,
  name: TableName,
  delivery: Delivery,
  ctx: CallContext,
): Promise<UndoResult> => {
  const stage = await readStage(database, delivery);
  if (isCurrent(stage, delivery)) return nothing;
  const result = stage ? takenBack(stage, node, name, ctx) : nothing;
  await database.run('write', [
    'BEGIN',
    ...ensureSql(database),
    ...moveSql(database, delivery, { closed: false, gathered: stage?.gathered ?? [] }),
    'COMMIT',
  ]);
  return result;
};

/** The delivery is over: whoever still writes for it is refused. */
export const undoDelivery = async (
  database: Database,
  node: TableConfig,
  name: TableName,
  delivery: Delivery,
  ctx: CallContext,
): Promise<UndoResult> => {
  const stage = await readStage(database, delivery);
  if (!stage) return nothing;
  const result = takenBack(stage, node, name, ctx);
  const generation = Math.max(stage.generation, delivery.generation);
  await database.run('write', [
    'BEGIN',
    ...moveSql(database, { ...delivery, generation }, { closed: true, gathered: stage.gathered }),
    'COMMIT',
  ]);
  return result;
};
