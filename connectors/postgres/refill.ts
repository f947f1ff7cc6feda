import type pg from 'pg';
import type { Places } from './evolve.js';
import { quoteName } from './quote.js';
import { insertSql } from './loadTable.js';
import { nameList } from './table.js';
import type { Target } from './table.js';
import { invalid } from './tableConfig.js';

const referredSql = `
  select exists (select from pg_constraint
                  where contype = 'f' and confrelid = $1 and conrelid <> confrelid) as referred,
         array(select a.attname::text from pg_index i
                 cross join unnest((i.indkey::int2[])[0:i.indnkeyatts - 1]) k (attnum)
                 join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
                where i.indrelid = $1 and i.indisprimary) as key`;

interface Referred {
  referred: boolean;
  key: string[];
}

/** Whether other tables refer to it, and the primary key by which they do. */
const referencesTo = async (client: pg.Client, oid: number): Promise<Referred> => {
  const { rows } = await client.query<Referred>(referredSql, [oid]);
  return rows[0] ?? { referred: false, key: [] };
};

/** Rows that others refer to must not go away in between: only by key can they be replaced. */
export const checkReferences = async (
  client: pg.Client,
  target: Target,
  { loaded }: Places,
): Promise<void> => {
  const { referred, key } = await referencesTo(client, target.oid);
  if (!referred || (key.length > 0 && key.every((name) => loaded.includes(name)))) return;
  throw invalid(
    'Foreign keys of other tables refer to the table: to be replaced it needs a primary key whose columns are loaded.',
  );
};

const changeSql = (target: Target, { loaded }: Places, key: readonly string[]): string => {
  const set = [...target.columns.values()]
    .filter(({ name, generated }) => !key.includes(name) && !generated)
    .map(({ name }) => {
      const value = loaded.includes(name) ? `excluded.${quoteName(name)}` : 'default';
      return `${quoteName(name)} = ${value}`;
    });
  // Where all columns are the key, the row is written all the same, to be counted.
  const [first = ''] = key;
  if (set.length === 0) set.push(`${quoteName(first)} = excluded.${quoteName(first)}`);
  return `on conflict (${nameList(key)}) do update set ${set.join(', ')}`;
};

/** Inserts, and says how many rows there were. */
export type Insert = (sql: string, onlyNew: boolean) => Promise<number>;

const replaceByKey = async (
  client: pg.Client,
  target: Target,
  shadow: string,
  places: Places,
  key: readonly string[],
  insert: Insert,
): Promise<number> => {
  const same = key.map((name) => `s.${quoteName(name)} = t.${quoteName(name)}`).join(' and ');
  await client.query(
    `delete from ${target.sql} t where not exists (select from ${shadow} s where ${same})`,
  );
  const sql = `${insertSql(target.sql, places, shadow)} ${changeSql(target, places, key)}`;
  return insert(sql, false);
};

/** Puts the shadow's rows into the table itself, which stays what it is, and says how many. */
export const refill = async (
  client: pg.Client,
  target: Target,
  shadow: string,
  places: Places,
  insert: Insert,
): Promise<number> => {
  const { referred, key } = await referencesTo(client, target.oid);
  if (referred) return replaceByKey(client, target, shadow, places, key, insert);
  await client.query(`truncate table ${target.sql}`);
  return insert(insertSql(target.sql, places, shadow), true);
};
