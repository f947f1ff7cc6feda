import { RunFailure } from '../../core/failures.js';
import type { Marker } from '../connector.js';
import { errorNumber } from './classify.js';
import type { Places } from './evolve.js';
import { loadTable, rowColumn, sameKeys } from './loadTable.js';
import { nameList, quoteName, quoteTable } from './quote.js';
import type { TableName } from './quote.js';
import type { Session } from './session.js';
import { splitColumn } from './shadow.js';
import { keysOf } from './tableConfig.js';
import type { Order, TableConfig } from '../tableNodes.js';
import { uniqueKeysOf } from './target.js';
import type { Target } from './target.js';
import { deliveryDigest, takeTurn } from './turns.js';

export interface Upsert {
  node: TableConfig;
  name: TableName;
  target: Target;
  places: Places;
  /** Which split of the delivery has written a key. */
  ledger: TableName;
}

const pickedTable = quoteName('_fluxline_picked');
const placeColumn = quoteName('_fluxline_place');

const failure = (code: 'duplicate_key' | 'destination_constraint_violation', message: string) =>
  new RunFailure({ code, class: 'schema', message });

const duplicate = (keys: readonly string[], found: string): RunFailure =>
  failure(
    'duplicate_key',
    `Which row of a key is to be written is not said: ${found} of (${keys.join(', ')}). Set orderBy, or remove the others before (dedupe).`,
  );

/** Refuses rows that no merge could place, before anything is written. */
const checkKeys = async (
  session: Session,
  keys: readonly string[],
  orderBy: readonly Order[],
): Promise<void> => {
  const isNull = keys.map((key) => `${quoteName(key)} is null`).join(' or ');
  const [empty] = await session.rows(`select count(*) as nulls from ${loadTable} where ${isNull}`);
  if (empty?.['nulls'] !== '0') {
    throw failure(
      'destination_constraint_violation',
      `${empty?.['nulls'] ?? ''} rows have NULL in a key column (${keys.join(', ')}); nothing of their split was written.`,
    );
  }
  if (orderBy.length > 0) return;
  const [repeated] = await session.rows(
    `select count(*) as found, max(n) as most from
       (select count(*) as n from ${loadTable} group by ${nameList(keys)} having count(*) > 1) k`,
  );
  if (repeated?.['found'] === '0') return;
  throw duplicate(
    keys,
    `${repeated?.['found'] ?? ''} values come more than once in one split, one of them ${repeated?.['most'] ?? ''} times`,
  );
};

/** Of rows with equal keys the first in the order; of equal ones the one that came last. */
const pick = async (session: Session, { node, places }: Upsert): Promise<void> => {
  const order = (node.orderBy ?? []).map(
    ({ column, direction }) => `${quoteName(column)} is null, ${quoteName(column)} ${direction}, `,
  );
  await session.run(`drop temporary table if exists ${pickedTable}`);
  await session.run(
    `create temporary table ${pickedTable} engine = InnoDB
     select * from (select ${nameList(places.loaded)}, row_number() over
              (partition by ${nameList(keysOf(node))} order by ${order.join('')}${rowColumn} desc)
              as ${placeColumn} from ${loadTable}) placed
      where ${placeColumn} = 1`,
  );
};

/** Whether the new row comes before the one in the table; `tied` where they are equal. */
const winsSql = (orderBy: readonly Order[], tied: string): string =>
  orderBy.reduceRight((rest, { column, direction }) => {
    const [fresh, old] = [`p.${quoteName(column)}`, `t.${quoteName(column)}`];
    return `case when ${fresh} <=> ${old} then ${rest} when ${fresh} is null then 0
                 when ${old} is null then 1
                 else ${fresh} ${direction === 'asc' ? '<' : '>'} ${old} end`;
  }, tied);

/** Rows of other splits of ours stay where they come first; without an order there may be none. */
const settleSplits = async (session: Session, upsert: Upsert, split: number): Promise<void> => {
  const { node, target } = upsert;
  const keys = keysOf(node);
  const ledger = quoteTable(upsert.ledger);
  const orderBy = node.orderBy ?? [];
  const note = `insert into ${ledger} (${nameList(keys)}, ${splitColumn})
    select ${nameList(keys)}, ${split} from ${pickedTable}`;
  if (orderBy.length > 0) {
    await session.run(
      `delete p from ${pickedTable} p join ${ledger} g on ${sameKeys(keys, 'p', 'g')}
         join ${target.sql} t on ${sameKeys(keys, 'p', 't')}
        where not (${winsSql(orderBy, `g.${splitColumn} < ${split}`)})`,
    );
    await session.run(`${note} on duplicate key update ${splitColumn} = values(${splitColumn})`);
    return;
  }
  try {
    await session.run(note);
  } catch (error) {
    if (errorNumber(error) !== 1062) throw error;
    throw duplicate(keys, 'values come in this split and in another one');
  }
};

/**
 * The statement changes the row that is in the way, whichever unique index it is in the way of:
 * another one than that of the keys would make it change the wrong row.
 */
const refuseOtherKeys = async (session: Session, upsert: Upsert): Promise<void> => {
  const { name, target, places, node } = upsert;
  const keys = keysOf(node);
  const loaded = new Set(places.loaded.map((column) => column.toLowerCase()));
  const isKeys = (columns: readonly string[]): boolean =>
    columns.length === keys.length &&
    columns.every((column) => keys.some((key) => key.toLowerCase() === column.toLowerCase()));
  for (const columns of await uniqueKeysOf(session, name)) {
    if (isKeys(columns) || !columns.every((column) => loaded.has(column.toLowerCase()))) continue;
    const isSet = columns.map((column) => `${quoteName(column)} is not null`).join(' and ');
    const twice = await session.rows(
      `select 1 as one from ${pickedTable} where ${isSet}
        group by ${nameList(columns)} having count(*) > 1 limit 1`,
    );
    const taken = await session.rows(
      `select 1 as one from ${pickedTable} p join ${target.sql} t on ${sameKeys(columns, 'p', 't')}
        where not (${sameKeys(keys, 'p', 't')}) limit 1`,
    );
    if (twice.length + taken.length === 0) continue;
    throw Object.assign(new Error('another row has these values'), { errno: 1062, code: 'ER' });
  }
};

/** Puts the rows that wait into the table, over those that have their keys. */
export const applyRows = async (session: Session, upsert: Upsert): Promise<void> => {
  const { target, places, node } = upsert;
  const keys = keysOf(node);
  await refuseOtherKeys(session, upsert);
  const others = places.loaded.filter((column) => !keys.includes(column));
  const changed = others.length > 0 ? others : keys.slice(0, 1);
  const set = changed.map((column) => `${quoteName(column)} = values(${quoteName(column)})`);
  await session.run(
    `insert into ${target.sql} (${nameList(places.loaded)})
     select ${nameList(places.loaded)} from ${pickedTable}
         on duplicate key update ${set.join(', ')}`,
  );
};

/** Which rows of those that wait are to be written. */
export const pickRows = async (session: Session, upsert: Upsert): Promise<void> => {
  await checkKeys(session, keysOf(upsert.node), upsert.node.orderBy ?? []);
  await pick(session, upsert);
};

/**
 * Merges the rows that wait, and says how many made it. Merges of one delivery take turns: the next
 * one sees what those before it have committed.
 */
export const merge = async (session: Session, upsert: Upsert, marker: Marker): Promise<number> => {
  await pickRows(session, upsert);
  await takeTurn(session, `merge ${deliveryDigest(marker)}`);
  await settleSplits(session, upsert, marker.split);
  const [row] = await session.rows(`select count(*) as written from ${pickedTable}`);
  await applyRows(session, upsert);
  return Number(row?.['written'] ?? 0);
};
