import type pg from 'pg';
import type { TableName } from './quote.js';
import { quoteTable } from './quote.js';
import { nameList } from './table.js';
import type { Target } from './table.js';
import { invalid } from './tableConfig.js';

/** What ON CONFLICT can infer: whole, immediate, valid, of columns only, and of just these. */
const uniqueSql = `
  select 1 from pg_index i
   where i.indrelid = $1 and i.indisunique and i.indisvalid and i.indimmediate
     and i.indpred is null and i.indexprs is null
     and (select array_agg(a.attname::text order by a.attname::text)
            from unnest((i.indkey::int2[])[0:i.indnkeyatts - 1]) k (attnum)
            join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum)
       = (select array_agg(n order by n) from unnest($2::text[]) n)`;

/** An upsert needs the table's own word that keys are unique; no lock of ours could replace it. */
export const requireUniqueKey = async (
  client: pg.Client,
  name: TableName,
  target: Target,
  keys: readonly string[],
): Promise<void> => {
  const { rows } = await client.query(uniqueSql, [target.oid, [...keys]]);
  if (rows.length > 0) return;
  throw invalid(
    `Table ${name.schema}.${name.table} has no unique index on exactly the keys. Create it: create unique index on ${quoteTable(name)} (${nameList(keys)});`,
  );
};
