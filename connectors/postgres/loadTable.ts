import type pg from 'pg';
import { nameList } from './table.js';
import { quoteName } from './quote.js';
import type { Places } from './evolve.js';
import type { Reading } from './readings.js';

/** Lives until the end of the transaction, and only there. */
export const loadTable = 'pg_temp."_fluxline_load"';

/**
 * Takes a split in before anything is decided about its rows. Columns have the types of those they
 * go to, or those that they are to be compared as; one that has no place, or whose value nobody
 * needs, is text that nobody looks at.
 */
export const createLoadTable = async (
  client: pg.Client,
  target: string,
  columns: readonly string[],
  places: Places,
  readings: readonly Reading[] = [],
): Promise<void> => {
  const loaded = new Set(places.loaded);
  const readAs = new Map(
    readings.map(({ name, type, collation }) => [
      name,
      `null::${type}${collation === null ? '' : ` collate ${collation}`}`,
    ]),
  );
  const list = columns.map((name) => {
    const own = loaded.has(name) ? undefined : 'null::text';
    const value = own ?? readAs.get(name);
    return value === undefined ? quoteName(name) : `${value} as ${quoteName(name)}`;
  });
  await client.query(
    `create temp table "_fluxline_load" on commit drop as select ${list.join(', ')} from ${target} with no data`,
  );
};

/** The rows that wait, all of them or some, into the table that they are for. */
export const insertSql = (
  target: string,
  { loaded }: Places,
  from = loadTable,
  where = '',
): string =>
  `insert into ${target} (${nameList(loaded)}) overriding system value
   select ${nameList(loaded)} from ${from} ${where}`;

/** Rows t of a table have the keys of rows l that wait. */
export const sameKeys = (keys: readonly string[]): string =>
  keys.map((key) => `t.${quoteName(key)} = l.${quoteName(key)}`).join(' and ');
