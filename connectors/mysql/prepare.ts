import { RunFailure } from '../../core/failures.js';
import type { CallContext, Column, Delivery, Prepared } from '../connector.js';
import { createTable } from './createTable.js';
import { evolve, placesOf } from './evolve.js';
import { isCurrent, noteStage, readStage, superseded } from './fence.js';
import { hangsOn } from './hangsOn.js';
import { ensureMarkers, pruneMarkers, publishing, readMarkers } from './markers.js';
import { nameList, quoteTable } from './quote.js';
import type { TableName } from './quote.js';
import type { Session } from './session.js';
import { createLedger, createShadow, dropAbandoned, shadowOf } from './shadow.js';
import { checkConfig, drifted, gathers, invalid, keysOf, traceColumn } from './tableConfig.js';
import type { TableConfig } from '../tableNodes.js';
import { columnOf, describeTable, uniqueKeysOf } from './target.js';
import type { Target } from './target.js';
import { takeTurn } from './turns.js';
import { advance } from './undo.js';

interface Work {
  session: Session;
  node: TableConfig;
  name: TableName;
  columns: readonly Column[];
  delivery: Delivery;
  ctx: CallContext;
}

/** Undefined where the table comes with its rows: nobody is to see it empty before. */
const ensureTable = async (work: Work): Promise<Target | undefined> => {
  const { session, node, name, columns, ctx } = work;
  const where = `${name.schema}.${name.table}`;
  const found = await describeTable(session, name);
  if (found) return evolve(session, name, found, columns, node, ctx);
  if (node.createTable === false) {
    throw drifted(`Table ${where} does not exist and createTable is false.`);
  }
  if (node.mode === 'replace') return undefined;
  const keys = keysOf(node);
  const traced = node.mode !== 'delete' && node.mode !== 'upsert';
  await createTable(session, quoteTable(name), columns, { keys, traced });
  ctx.log.info(
    `Created table ${where}${traced ? `, with an invisible column ${traceColumn}: it tells which rows a run has added` : ''}.`,
  );
  return describeTable(session, name);
};

const sameNames = (one: readonly string[], other: readonly string[]): boolean => {
  const folded = new Set(other.map((name) => name.toLowerCase()));
  return one.length === other.length && one.every((name) => folded.has(name.toLowerCase()));
};

/** An upsert needs the table's own word that keys are unique; no lock of ours could replace it. */
const requireUniqueKey = async (work: Work, target: Target): Promise<void> => {
  const { session, name, node } = work;
  const keys = keysOf(node);
  const unique = await uniqueKeysOf(session, name);
  if (unique.some((columns) => sameNames(columns, keys))) return;
  throw invalid(
    `Table ${name.schema}.${name.table} has no unique index on exactly the keys. Create it: create unique index fluxline_keys on ${target.sql} (${nameList(keys)});`,
  );
};

const checkTarget = async (work: Work, target: Target): Promise<void> => {
  const { session, node, name, columns, ctx } = work;
  const where = `${name.schema}.${name.table}`;
  if (target.kind !== 'BASE TABLE') {
    throw invalid(`${where} is no plain table (${target.kind}): load into the table behind it.`);
  }
  if (!target.transactional) {
    throw invalid(
      `The engine of table ${where} has no transactions, so that half a split could stay: alter table ${target.sql} engine = InnoDB;`,
    );
  }
  if (node.mode === 'replace') {
    const reasons = await hangsOn(session, name);
    if (reasons.length > 0) {
      throw invalid(
        `Table ${where} cannot be replaced by another one (${reasons.join(', ')}): remove that, or load it with upsert.`,
      );
    }
  }
  if (node.mode === 'upsert') await requireUniqueKey(work, target);
  const numbered = columns.filter(({ name: column }) => columnOf(target, column)?.numbers);
  if (numbered.length > 0 && node.mode !== 'delete') {
    ctx.log.info(`Column ${nameList(numbered.map((c) => c.name))} takes the numbers that arrive.`);
  }
};

/** Goes on with the delivery where it is, or makes way for the generation that begins here. */
const enterStage = async ({ session, node, name, delivery, ctx }: Work): Promise<void> => {
  const row = await readStage(session, delivery);
  if (row?.closed && row.generation >= delivery.generation) throw superseded();
  if (row && isCurrent(row, delivery)) return;
  await advance(session, node, name, delivery, ctx);
};

const lostSplits = (where: string): RunFailure =>
  new RunFailure({
    code: 'snapshot_lost',
    class: 'transient',
    message: `What earlier attempts had gathered for ${where} is gone: the stage has to start over.`,
  });

/**
 * Creates what the writes need, and refuses what could not work. No transaction holds tables
 * together here: every step finds what an earlier attempt has made, and goes on from there.
 */
export const prepareTable = async (work: Work): Promise<Prepared> => {
  const { session, node, name, columns, delivery } = work;
  checkConfig(node, name, columns);
  await ensureMarkers(session);
  await pruneMarkers(session);
  await takeTurn(session, quoteTable(name));
  await dropAbandoned(session, name);
  await enterStage(work);
  const markers = await readMarkers(session, delivery);
  const target = await ensureTable(work);
  const loaded = columns.map((column) => column.name);
  const places = target ? placesOf(name, target, columns, node) : { loaded, skipped: [] };
  if (target) await checkTarget(work, target);

  const own = shadowOf(name, delivery);
  const gathered = gathers(node, target);
  const publishes = gathered || node.mode === 'upsert';
  const needsOwn = publishes && !markers.has(publishing);
  if (needsOwn && !(await describeTable(session, own))) {
    if (markers.size > 0) throw lostSplits(`${name.schema}.${name.table}`);
    if (gathered) await createShadow(session, own, target, columns);
    else if (target) await createLedger(session, own, target, keysOf(node));
  }
  await noteStage(session, delivery, {
    shadow: needsOwn ? own : null,
    loaded: places.loaded,
  });
  // An upsert has its keys written down until it is done.
  return { formats: ['csv'], publishes };
};
