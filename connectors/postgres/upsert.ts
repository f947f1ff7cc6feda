import type pg from 'pg';
import { RunFailure } from '../../core/failures.js';
import type { Delivery, Marker } from '../connector.js';
import type { Places } from './evolve.js';
import { loadTable, sameKeys } from './loadTable.js';
import { xidsOf } from './markers.js';
import { quoteName } from './quote.js';
import { nameList } from './table.js';
import type { Order } from '../tableNodes.js';

export interface Upsert {
  target: string;
  keys: readonly string[];
  orderBy: readonly Order[];
  places: Places;
}

/** The rest of INSERT: every loaded column that is no key takes the value that was not inserted. */
export const onConflictSql = ({ keys, places }: Pick<Upsert, 'keys' | 'places'>): string => {
  const others = places.loaded.filter((name) => !keys.includes(name));
  // With keys only there is nothing to change; the row is written all the same, to be counted.
  const changed = others.length > 0 ? others : keys.slice(0, 1);
  const set = changed.map((name) => `${quoteName(name)} = excluded.${quoteName(name)}`).join(', ');
  return `on conflict (${nameList(keys)}) do update set ${set}`;
};

const orderSql = (orderBy: readonly Order[]): string =>
  orderBy
    .map(({ column, direction }) => `l.${quoteName(column)} ${direction} nulls last, `)
    .join('');

/** Whether the new row comes before the old one; `tied` where they are equal in every column. */
const winsSql = (orderBy: readonly Order[], tied: string): string =>
  orderBy.reduceRight((rest, { column, direction }) => {
    const [fresh, old] = [`excluded.${quoteName(column)}`, `t.${quoteName(column)}`];
    const sign = direction === 'asc' ? '<' : '>';
    return `case when ${fresh} is not distinct from ${old} then ${rest}
                 when ${fresh} is null then false when ${old} is null then true
                 else ${fresh} ${sign} ${old} end`;
  }, tied);

/** Of rows with equal keys the first in the order; of equal ones the one that came last. */
export const pickedSql = ({ keys, orderBy }: Upsert, list: string): string =>
  orderBy.length === 0
    ? `select ${list} from ${loadTable} l`
    : `select distinct on (${nameList(keys, 'l.')}) ${list}
         from ${loadTable} l
        order by ${nameList(keys, 'l.')}, ${orderSql(orderBy)} l.ctid desc`;

/** `$1`: our other splits' transactions; where an order decides, `$2` to `$4`: this split. */
const mergeSql = (upsert: Upsert): string => {
  const laterSplit = `(select c.split < $4::integer from _fluxline.commits c
    where c.root_job = $2::uuid and c.stage = $3::text and xid(c.xid) = t.xmin)`;
  const wins = upsert.orderBy.length === 0 ? 'false' : winsSql(upsert.orderBy, laterSplit);
  return `insert into ${upsert.target} as t (${nameList(upsert.places.loaded)})
    overriding system value ${pickedSql(upsert, nameList(upsert.places.loaded, 'l.'))}
    ${onConflictSql(upsert)} where not (t.xmin = any ($1::text[]::xid[])) or (${wins})`;
};

const repeatedSql = ({ keys }: Upsert): string => {
  const isNull = keys.map((key) => `${quoteName(key)} is null`).join(' or ');
  return `select count(*) filter (where n > 1) as keys, max(n) as most,
                 coalesce(sum(n) filter (where ${isNull}), 0) as nulls
            from (select ${nameList(keys)}, count(*) as n from ${loadTable} l
                   group by ${nameList(keys)}) k`;
};

interface Repeated {
  keys: string;
  most: string | null;
  nulls: string;
}

const duplicate = (keys: readonly string[], found: string): RunFailure =>
  new RunFailure({
    code: 'duplicate_key',
    class: 'schema',
    message: `Which row of a key is to be written is not said: ${found} of (${keys.join(', ')}). Set orderBy, or remove the others before (dedupe).`,
  });

const nullKeys = (keys: readonly string[], rows: string): RunFailure =>
  new RunFailure({
    code: 'destination_constraint_violation',
    class: 'schema',
    message: `${rows} rows have NULL in a key column (${keys.join(', ')}); nothing of their split was written.`,
  });

/** Refuses rows that no merge could place, before anything is written. */
const checkKeys = async (client: pg.Client, upsert: Upsert): Promise<void> => {
  const { rows } = await client.query<Repeated>(repeatedSql(upsert));
  const repeated = rows[0];
  if (!repeated) return;
  if (repeated.nulls !== '0') throw nullKeys(upsert.keys, repeated.nulls);
  if (upsert.orderBy.length > 0 || repeated.keys === '0') return;
  const sample = `one of them ${repeated.most ?? ''} times`;
  throw duplicate(
    upsert.keys,
    `${repeated.keys} values come more than once in one split, ${sample}`,
  );
};

/** How many of the waiting rows have a key that another split of ours has written. */
const meetingSql = ({ target, keys }: Upsert): string =>
  `select count(*) as met from ${loadTable} l join ${target} t on ${sameKeys(keys)}
    where t.xmin = any ($1::text[]::xid[])`;

const refuseMeeting = async (
  client: pg.Client,
  upsert: Upsert,
  xids: readonly string[],
): Promise<void> => {
  const { rows } = await client.query<{ met: string }>(meetingSql(upsert), [[...xids]]);
  const met = rows[0]?.met ?? '0';
  if (met !== '0') {
    throw duplicate(upsert.keys, `${met} values come in this split and in another one`);
  }
};

/**
 * Merges of one delivery take turns. Taken in a statement of its own: the next one sees what those
 * before it have committed.
 */
export const awaitTurn = async (
  client: pg.Client,
  { rootJobId, stage }: Delivery,
): Promise<void> => {
  await client.query(`select pg_advisory_xact_lock(hashtextextended($1, 0))`, [
    `_fluxline.upsert ${rootJobId} ${stage}`,
  ]);
};

/** Merges the rows that wait, and says how many made it. */
export const merge = async (
  client: pg.Client,
  upsert: Upsert,
  marker: Marker,
  waiting: number,
): Promise<number> => {
  await checkKeys(client, upsert);
  await awaitTurn(client, marker);
  const xids = await xidsOf(client, marker);
  const place = [marker.rootJobId, marker.stage, marker.split];
  const values = upsert.orderBy.length === 0 ? [xids] : [xids, ...place];
  const { rowCount } = await client.query(mergeSql(upsert), values);
  const written = rowCount ?? 0;
  if (written < waiting && upsert.orderBy.length === 0) await refuseMeeting(client, upsert, xids);
  return written;
};
