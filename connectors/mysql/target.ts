import type { TableName } from './quote.js';
import { quoteTable } from './quote.js';
import type { Session } from './session.js';

export interface TargetColumn {
  name: string;
  /** As DDL writes it, with its length or precision. */
  type: string;
  notNull: boolean;
  /** Computed by the table. */
  generated: boolean;
  /** Numbers rows itself. */
  numbers: boolean;
  /** Takes any text as it is. */
  isText: boolean;
  isBinary: boolean;
  isBit: boolean;
}

export interface Target {
  /** Quoted, for statements. */
  sql: string;
  /** As the server says: BASE TABLE, VIEW, SYSTEM VERSIONED… */
  kind: string;
  /** Whether what is written there can be rolled back. */
  transactional: boolean;
  /** By their names in lower case, which is all that the server looks at. */
  columns: ReadonlyMap<string, TargetColumn>;
}

export const columnOf = ({ columns }: Target, name: string): TargetColumn | undefined =>
  columns.get(name.toLowerCase());

const tableSql = `
  select t.table_type as kind, e.transactions as transactions
    from information_schema.tables t
    left join information_schema.engines e on e.engine = t.engine
   where t.table_schema = ? and t.table_name = ?`;

const columnsSql = `
  select column_name as name, data_type as kind, column_type as type, is_nullable as nullable,
         extra, coalesce(generation_expression, '') as expression, character_set_name as charset
    from information_schema.columns where table_schema = ? and table_name = ?
   order by ordinal_position`;

const binaryKinds =
  /^(tiny|medium|long)?blob$|^(var)?binary$|^geometry$|point$|string$|polygon$|collection$/;
const textKinds = /^(var)?char$|text$|^enum$|^set$/;

/** A table as it is now; undefined where there is none. */
export const describeTable = async (
  session: Session,
  name: TableName,
): Promise<Target | undefined> => {
  const values = [name.schema, name.table];
  const [table] = await session.rows(tableSql, values);
  if (!table) return undefined;
  const rows = await session.rows(columnsSql, values);
  const columns = rows.map((row): [string, TargetColumn] => {
    const kind = row['kind'] ?? '';
    const extra = row['extra'] ?? '';
    const column = {
      name: row['name'] ?? '',
      type: row['type'] ?? '',
      notNull: row['nullable'] === 'NO',
      generated: row['expression'] !== '' || /GENERATED$|INVISIBLE ROW/.test(extra),
      numbers: /auto_increment/i.test(extra),
      isText: textKinds.test(kind),
      isBinary: binaryKinds.test(kind),
      isBit: kind === 'bit',
    };
    return [column.name.toLowerCase(), column];
  });
  return {
    sql: quoteTable(name),
    kind: table['kind'] ?? '',
    transactional: table['transactions'] === 'YES',
    columns: new Map(columns),
  };
};

const uniqueSql = `
  select index_name as name, column_name as col, coalesce(sub_part, 0) as part
    from information_schema.statistics
   where table_schema = ? and table_name = ? and non_unique = 0
   order by index_name, seq_in_index`;

/** The columns of each unique index; those of parts of texts are left out. */
export const uniqueKeysOf = async (
  session: Session,
  { schema, table }: TableName,
): Promise<readonly (readonly string[])[]> => {
  const found = new Map<string, { columns: string[]; whole: boolean }>();
  for (const { name, col, part } of await session.rows(uniqueSql, [schema, table])) {
    const index = found.get(name ?? '') ?? { columns: [], whole: true };
    index.columns.push(col ?? '');
    index.whole &&= part === '0' && col !== null;
    found.set(name ?? '', index);
  }
  return [...found.values()].filter(({ whole }) => whole).map(({ columns }) => columns);
};
