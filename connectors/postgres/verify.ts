import type pg from 'pg';
import { DatabaseError } from 'pg';
import type { Marker } from '../connector.js';
import { refuseDifference } from './copy.js';
import { contentMismatch, refuseOtherContents } from './contents.js';
import { loadTable, sameKeys } from './loadTable.js';
import { xidsOf } from './markers.js';
import { quoteName } from './quote.js';
import type { Reading } from './readings.js';
import { nameList } from './table.js';
import type { Target } from './table.js';
import { pickedSql } from './upsert.js';
import type { Upsert } from './upsert.js';
import { insertAndNote, insertedRows, standingSql } from './written.js';

/** What triggers have left for the commit happens first; what cannot be read did not come. */
const settled = async (client: pg.Client, compare: () => Promise<void>): Promise<void> => {
  await client.query('set constraints all immediate');
  try {
    await compare();
  } catch (error) {
    if (!(error instanceof DatabaseError) || !error.code?.startsWith('22')) throw error;
    throw contentMismatch('A value stands in the table that cannot have come.');
  }
};

interface Inserting {
  target: Target;
  readings: readonly Reading[];
  /** The table whose rows are inserted, all of them, and how many it has. */
  from: string;
  rows: number;
  /** It is a split's, so that a row of it has a place. */
  places: boolean;
  insert: string;
  /** Rows that come are rows that are new: none of them is changed instead. */
  onlyNew: boolean;
}

/** Inserts rows and compares them with what stands in the table then. */
export const insertVerified = async (
  client: pg.Client,
  { target, readings, from, rows, places, insert, onlyNew }: Inserting,
): Promise<number> => {
  const written = await insertAndNote(client, insert);
  refuseDifference(rows, written);
  await settled(client, async () => {
    const names = readings.map(({ name }) => name);
    const stands = { from: `${await standingSql(client, target, names)} t` };
    await refuseOtherContents(client, { readings, came: { from: `${from} l` }, stands, places });
    const added = onlyNew ? (await insertedRows(client, target)) - written : 0;
    if (added > 0) throw contentMismatch(`${added} rows were added that did not come.`);
  });
  return written;
};

/** Refuses keys that are others once the table's columns hold them: they would meet other rows. */
export const verifyKeys = async (
  client: pg.Client,
  target: Target,
  readings: readonly Reading[],
): Promise<void> => {
  const held = readings.map(({ name }) => {
    const type = target.columns.get(name)?.type ?? 'text';
    return `l.${quoteName(name)}::${type} as ${quoteName(name)}`;
  });
  await refuseOtherContents(client, {
    readings,
    came: { from: `${loadTable} l` },
    stands: { from: `(select ${held.join(', ')} from ${loadTable} l) t` },
    places: true,
  });
};

/**
 * Compares the rows that won with those of their keys. What another split of ours has won stays
 * its; where no order decides, nothing of the kind has got this far.
 */
export const verifyMerged = async (
  client: pg.Client,
  upsert: Upsert,
  readings: readonly Reading[],
  marker: Marker,
): Promise<void> => {
  const { target, keys, orderBy } = upsert;
  const same = sameKeys(keys);
  const came = { from: `${loadTable} l` };
  const stands = { from: `${target} t`, where: `exists (select from ${came.from} where ${same})` };
  const others = 't.xmin = any ($1::text[]::xid[])';
  const ordered = {
    came: {
      ...came,
      where: `l.ctid in (${pickedSql(upsert, 'l.ctid')})
        and not exists (select from ${target} t where ${same} and ${others})`,
    },
    stands: { ...stands, where: `${stands.where} and not ${others}` },
    values: [await xidsOf(client, marker)],
  };
  const sides = orderBy.length === 0 ? { came, stands } : ordered;
  // Without it the server takes the table for small, whatever its size.
  await client.query(`analyze ${loadTable} (${nameList(keys)})`);
  await settled(client, () => refuseOtherContents(client, { readings, places: true, ...sides }));
};

/** Nothing may be left of what was to go. */
export const verifyDeleted = async (
  client: pg.Client,
  target: Target,
  keys: readonly string[],
): Promise<void> => {
  await settled(client, async () => {
    const { rows } = await client.query<{ left: string }>(
      `select count(*) as left from ${target.sql} t
        where exists (select from ${loadTable} l where ${sameKeys(keys)})`,
    );
    const left = rows[0]?.left ?? '0';
    if (left !== '0')
      throw contentMismatch(`${left} rows that were to be deleted are still there.`);
  });
};
