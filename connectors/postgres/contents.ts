import type pg from 'pg';
import { RunFailure } from '../../core/failures.js';
import type { Reading } from './readings.js';

/** Rows, as FROM and WHERE have them. */
export interface Side {
  from: string;
  where?: string;
}

export interface Contents {
  readings: readonly Reading[];
  /** Rows called l. They have a place among those of a split, where `places` says so. */
  came: Side;
  /** Rows called t. */
  stands: Side;
  places: boolean;
  values?: readonly unknown[];
}

export const contentMismatch = (found: string): RunFailure =>
  new RunFailure({
    code: 'content_mismatch',
    class: 'schema',
    message:
      `${found} All of it was rolled back. A trigger of the table changes rows, or the type of a ` +
      `column cuts or rounds values: change that, or set verify to counts.`,
  });

const hashSql = (forms: readonly string[]): string =>
  `hashtextextended(row(${forms.join(', ')})::text, 0)`;

const rowsSql = (what: string, { from, where }: Side): string =>
  `select ${what} from ${from}${where === undefined ? '' : ` where ${where}`}`;

/** Each side as a list of hashes, one for a row. */
const sidesOf = ({ readings, came, stands }: Contents): { came: string; stands: string } => ({
  came: rowsSql(`${hashSql(readings.map((reading) => reading.came))} as hash`, came),
  stands: rowsSql(`${hashSql(readings.map((reading) => reading.stands))} as hash`, stands),
});

const checksumSql = (hashes: string): string =>
  `(select count(*) || ' ' || coalesce(sum(hash), 0) from (${hashes}) h)`;

interface Difference {
  missing: string;
  surplus: string;
  places: string[];
}

/** How many rows differ, and the first of those that came. */
const differenceSql = (contents: Contents): string => {
  const { came, stands } = sidesOf(contents);
  const place = rowsSql(
    `l.ctid as place, ${hashSql(contents.readings.map((r) => r.came))} as hash`,
    contents.came,
  );
  const first = `array(
    select (select count(*) from ${contents.came.from} where l.ctid <= first.place)::text
      from (select place from (${place}) p where hash in (select hash from d where n > 0)
             order by place limit 3) first)`;
  return `with d as (
      select hash, sum(n) as n
        from (select hash, 1 as n from (${came}) c union all select hash, -1 from (${stands}) s) b
       group by hash having sum(n) <> 0)
    select coalesce(sum(n) filter (where n > 0), 0) as missing,
           coalesce(-sum(n) filter (where n < 0), 0) as surplus,
           ${contents.places ? first : `'{}'::text[]`} as places from d`;
};

const sumsSql = (forms: readonly string[], side: Side): string =>
  rowsSql(`array[${forms.map((form) => `sum(${hashSql([form])})`).join(', ')}]::text[]`, side);

/** Columns whose values are not the same on both sides. */
const changedColumns = async (client: pg.Client, contents: Contents): Promise<string[]> => {
  const { readings, values = [] } = contents;
  const came = sumsSql(
    readings.map((reading) => reading.came),
    contents.came,
  );
  const stands = sumsSql(
    readings.map((reading) => reading.stands),
    contents.stands,
  );
  const { rows } = await client.query<{ came: (string | null)[]; stands: (string | null)[] }>(
    `select (${came}) as came, (${stands}) as stands`,
    [...values],
  );
  return readings
    .filter((_reading, at) => rows[0]?.came[at] !== rows[0]?.stands[at])
    .map(({ name }) => name);
};

const describeDifference = async (client: pg.Client, contents: Contents): Promise<string> => {
  const { rows } = await client.query<Difference>(differenceSql(contents), [
    ...(contents.values ?? []),
  ]);
  const { missing = '0', surplus = '0', places = [] } = rows[0] ?? {};
  const changed = missing === surplus ? await changedColumns(client, contents) : [];
  const details = [
    changed.length > 0 ? `they differ in ${changed.join(', ')}` : '',
    places.length > 0 ? `of the split it is row ${places.join(', ')}` : '',
  ].filter((detail) => detail !== '');
  const more = missing === surplus ? '' : `, and ${surplus} stand there that did not come`;
  const end = details.length > 0 ? `: ${details.join('; ')}.` : '.';
  return `${missing} rows do not stand in the table as they came${more}${end}`;
};

/** Refuses what does not stand as it came, whatever the order of its rows. */
export const refuseOtherContents = async (client: pg.Client, contents: Contents): Promise<void> => {
  const { came, stands } = sidesOf(contents);
  const { rows } = await client.query<{ same: boolean }>(
    `select ${checksumSql(came)} = ${checksumSql(stands)} as same`,
    [...(contents.values ?? [])],
  );
  if (!rows[0]?.same) throw contentMismatch(await describeDifference(client, contents));
};
