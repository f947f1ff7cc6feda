import type { BadRow, CallContext, Marker, SpooledRows } from '../connector.js';
import { errorNumber } from './classify.js';
import { loadRows } from './load.js';
import { createLoadTable, loadTable } from './loadTable.js';
import { quoteName, quoteTable } from './quote.js';
import type { TableName } from './quote.js';
import { badRow, blamesRow } from './refusal.js';
import type { Session } from './session.js';
import { shadowOf } from './shadow.js';
import { keysOf } from './tableConfig.js';
import type { TableConfig } from '../tableNodes.js';
import { applyRows, pickRows } from './upsert.js';
import { takingOf } from './writeSplit.js';

/** Rows that are tried at once grow with luck and shrink without. */
const firstTry = 4096;
const largestTry = 65_536;

interface Refused {
  number: number;
  message: string;
}

/** Runs it or leaves no trace of it; what the server has against a row comes back. */
const attempt = async (
  session: Session,
  work: () => Promise<unknown>,
): Promise<Refused | undefined> => {
  await session.run('savepoint probe');
  try {
    await work();
  } catch (error) {
    const number = errorNumber(error);
    if (!blamesRow(number)) throw error;
    await session.run('rollback to savepoint probe');
    return { number, message: error instanceof Error ? error.message : '' };
  }
  await session.run('release savepoint probe');
  return undefined;
};

/** A row without a key is no other row's fault, and none that a merge could place. */
const nullKey = async (session: Session, keys: readonly string[]): Promise<void> => {
  const isNull = keys.map((key) => `${quoteName(key)} is null`).join(' or ');
  const [row] = await session.rows(`select 1 as one from ${loadTable} where ${isNull} limit 1`);
  if (!row) return;
  throw Object.assign(new Error(`column '${keys[0] ?? ''}'`), { errno: 1048, code: 'ER' });
};

/**
 * Tries a split's rows where they are to go, those before them being there, in the transaction it
 * is called in, which is rolled back. A part that is refused is halved until one row is left.
 */
export const findBadRows = async (
  session: Session,
  node: TableConfig,
  name: TableName,
  marker: Marker,
  rows: SpooledRows,
  most: number,
  { signal }: CallContext,
): Promise<readonly BadRow[]> => {
  const taking = await takingOf(session, node, name, marker, rows.columns);
  const { target, places, intake, waits } = taking;
  const keys = keysOf(node);
  if (waits) await createLoadTable(session, target, places.loaded);
  // What gathers has to fit beside the rows that are there, too.
  const isLater = !waits && !taking.isTraced && node.mode !== 'replace';
  const later = { ...intake, into: quoteTable(name) };

  const put = async (from: number, to: number): Promise<void> => {
    if (waits) await session.run(`delete from ${loadTable}`);
    await loadRows(session, intake, rows.read(from, to));
    if (isLater) await loadRows(session, later, rows.read(from, to));
    if (node.mode !== 'upsert') return;
    await nullKey(session, keys);
    const upsert = { node, name, target, places, ledger: shadowOf(name, marker) };
    await pickRows(session, upsert);
    await applyRows(session, upsert);
  };

  const bad: BadRow[] = [];
  let at = 0;
  let tries = firstTry;
  while (at < rows.count && bad.length < most) {
    signal.throwIfAborted();
    const from = at;
    const to = Math.min(rows.count, at + tries);
    const refused = await attempt(session, () => put(from, to));
    if (!refused) {
      at = to;
      tries = Math.min(tries * 2, largestTry);
    } else if (to - at === 1) {
      bad.push(badRow(at, refused.number, refused.message));
      at = to;
      tries = 64;
    } else {
      tries = Math.ceil((to - at) / 2);
    }
  }
  return bad;
};
