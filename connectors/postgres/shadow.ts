import { createHash } from 'node:crypto';
import type pg from 'pg';
import type { Column, Delivery } from '../connector.js';
import { createTable } from './createTable.js';
import { copyIndexes, indexesOf } from './indexes.js';
import { quoteName, quoteTable, quoteText } from './quote.js';
import type { TableName } from './quote.js';
import { describeTable } from './table.js';
import type { Target } from './table.js';

/**
 * The table in which a delivery's rows gather until all of them are there. It has what the target
 * has against rows, so that bad ones are found while their split is written.
 */
export const shadowOf = ({ schema }: TableName, { rootJobId, stage }: Delivery): TableName => {
  const digest = createHash('sha256').update(`${rootJobId}\0${stage}`).digest('hex');
  return { schema, table: `_fluxline_${digest.slice(0, 24)}` };
};

interface StorageRow {
  unlogged: boolean;
  method: string | null;
  tablespace: string | null;
  options: string[] | null;
  toastOptions: string[] | null;
}

const storageSql = `
  select c.relpersistence = 'u' as unlogged, m.amname::text as method,
         s.spcname::text as tablespace, c.reloptions as options, t.reloptions as "toastOptions"
    from pg_class c
    left join pg_am m on m.oid = c.relam
    left join pg_tablespace s on s.oid = c.reltablespace
    left join pg_class t on t.oid = c.reltoastrelid
   where c.oid = $1`;

const option = (text: string, prefix = ''): string => {
  const at = text.indexOf('=');
  return `${prefix}${quoteName(text.slice(0, at))} = ${quoteText(text.slice(at + 1))}`;
};

const createLike = async (client: pg.Client, target: Target, sql: string): Promise<void> => {
  const { rows } = await client.query<StorageRow>(storageSql, [target.oid]);
  const [storage] = rows;
  const options = [
    ...(storage?.options ?? []).map((text) => option(text)),
    ...(storage?.toastOptions ?? []).map((text) => option(text, 'toast.')),
  ];
  await client.query(
    [
      `create ${storage?.unlogged ? 'unlogged ' : ''}table ${sql}`,
      `(like ${target.sql} including all excluding identity excluding indexes excluding statistics)`,
      storage?.method ? `using ${quoteName(storage.method)}` : '',
      // A partitioned table's options are not those of a table that holds rows.
      options.length > 0 && target.kind === 'r' ? `with (${options.join(', ')})` : '',
      storage?.tablespace ? `tablespace ${quoteName(storage.tablespace)}` : '',
    ].join(' '),
  );
};

/** Numbers that the target gives its rows come when they get there. */
const freeIdentity = async (
  client: pg.Client,
  target: Target,
  sql: string,
  loaded: ReadonlySet<string>,
): Promise<void> => {
  for (const { name, identity } of target.columns.values()) {
    if (!identity || loaded.has(name)) continue;
    await client.query(`alter table ${sql} alter column ${quoteName(name)} drop not null`);
  }
};

/** What the target refers to, the shadow refers to; names are a table's own for these. */
const foreignKeysSql = `
  select conname::text as name, pg_get_constraintdef(oid) as definition
    from pg_constraint
   where conrelid = $1 and contype = 'f' and confrelid <> conrelid and conparentid = 0
   order by conname`;

const copyForeignKeys = async (client: pg.Client, target: Target, sql: string): Promise<void> => {
  const { rows } = await client.query<{ name: string; definition: string }>(foreignKeysSql, [
    target.oid,
  ]);
  for (const { name, definition } of rows) {
    await client.query(`alter table ${sql} add constraint ${quoteName(name)} ${definition}`);
  }
};

/** Like the target where there is one; else as the columns say. */
export const createShadow = async (
  client: pg.Client,
  shadow: TableName,
  target: Target | undefined,
  columns: readonly Column[],
): Promise<void> => {
  const sql = quoteTable(shadow);
  if (!target) {
    await createTable(client, sql, columns, []);
    return;
  }
  await createLike(client, target, sql);
  await freeIdentity(client, target, sql, new Set(columns.map(({ name }) => name)));
  const unique = (await indexesOf(client, target.oid)).filter((index) => index.unique);
  await copyIndexes(client, shadow, sql, unique);
  await copyForeignKeys(client, target, sql);
};

export const dropShadow = async (client: pg.Client, shadow: TableName): Promise<boolean> => {
  const there = await describeTable(client, shadow);
  if (there) await client.query(`drop table ${there.sql}`);
  return there !== undefined;
};

/**
 * Shadows of runs that nobody has gone on with for a week. A retry after that starts over. Their
 * names are ours: nothing else is dropped, whatever the row says.
 */
const abandonedSql = `
  select s.root_job, s.stage, s.shadow, c.oid is not null as there
    from _fluxline.stages s
    left join pg_class c on c.oid = to_regclass(s.shadow) and c.relname like '\\_fluxline\\_%'
   where s.shadow is not null and s.touched_at < now() - interval '7 days'
     and (c.oid is null or pg_has_role(c.relowner, 'usage'))
   limit 20 for update of s skip locked`;

export const dropAbandoned = async (client: pg.Client): Promise<void> => {
  const { rows } = await client.query<{
    root_job: string;
    stage: string;
    shadow: string;
    there: boolean;
  }>(abandonedSql);
  for (const { root_job, stage, shadow, there } of rows) {
    if (there) await client.query(`drop table ${shadow}`);
    await client.query(
      'update _fluxline.stages set shadow = null where root_job = $1 and stage = $2',
      [root_job, stage],
    );
  }
};
