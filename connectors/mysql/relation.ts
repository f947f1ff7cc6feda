import { RunFailure } from '../../core/failures.js';
import { quoteTable } from './quote.js';
import type { TableName } from './quote.js';
import type { Session } from './session.js';

export interface SplitKey {
  column: string;
  /** How its values are cut: whole numbers by halving, all others by counting through an index. */
  kind: 'whole' | 'text' | 'bytes' | 'other';
}

/** What there is to know about a table before its rows are read. */
export interface Relation {
  /** Estimates. */
  rows: number;
  bytes: number;
  /** A column that is never null and leads an index. */
  key?: SplitKey;
}

const tableSql = `
  select table_type as type, table_rows as counted, data_length as bytes
    from information_schema.tables where table_schema = ? and table_name = ?`;

/** The primary key's first, then unique ones', then those with the most values. */
const keysSql = `
  select s.column_name as name, c.data_type as type
    from information_schema.statistics s
    join information_schema.columns c
      on c.table_schema = s.table_schema and c.table_name = s.table_name
     and c.column_name = s.column_name
   where s.table_schema = ? and s.table_name = ? and s.seq_in_index = 1 and s.sub_part is null
     and s.index_type = 'BTREE' and c.is_nullable = 'NO'
     and c.data_type in ('tinyint', 'smallint', 'mediumint', 'int', 'bigint', 'decimal', 'date',
                         'datetime', 'timestamp', 'char', 'varchar', 'binary', 'varbinary')
   order by s.index_name = 'PRIMARY' desc, s.non_unique, s.cardinality desc, s.index_name`;

const kinds: Readonly<Record<string, SplitKey['kind']>> = {
  tinyint: 'whole',
  smallint: 'whole',
  mediumint: 'whole',
  int: 'whole',
  bigint: 'whole',
  char: 'text',
  varchar: 'text',
  binary: 'bytes',
  varbinary: 'bytes',
};

const notThere = (name: TableName): RunFailure =>
  new RunFailure({
    code: 'schema_drift',
    class: 'schema',
    message: `There is no table or view ${name.schema}.${name.table}, or the user may not see it.`,
  });

const keyOf = async (
  session: Session,
  { schema, table }: TableName,
): Promise<SplitKey | undefined> => {
  const [row] = await session.rows(keysSql, [schema, table]);
  return row ? { column: row['name'] ?? '', kind: kinds[row['type'] ?? ''] ?? 'other' } : undefined;
};

export const relationOf = async (session: Session, name: TableName): Promise<Relation> => {
  const [row] = await session.rows(tableSql, [name.schema, name.table]);
  if (!row) throw notThere(name);
  const rows = Number(row['counted'] ?? 0);
  const bytes = Number(row['bytes'] ?? 0);
  if (row['type']?.includes('VIEW')) return { rows, bytes };
  const key = await keyOf(session, name);
  return { rows, bytes, ...(key ? { key } : {}) };
};

/** How many rows the server expects to look at for a query of one table. */
export const expectedRows = async (session: Session, sql: string): Promise<number> => {
  const plan = await session.rows(`explain ${sql}`);
  return Number(plan[0]?.['rows'] ?? 0);
};

export const countSql = (name: TableName, condition: string): string =>
  `select 1 from ${quoteTable(name)} where ${condition}`;
