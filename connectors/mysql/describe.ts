import type { Connection } from 'mysql2';
import { RunFailure } from '../../core/failures.js';
import type { Column } from '../connector.js';
import { quoteName } from './quote.js';
import type { TableName } from './quote.js';
import type { Row, Session } from './session.js';
import { isFloat, isNullable, typeOfField } from './wireTypes.js';
import type { FieldKind, WireField } from './wireTypes.js';

/** The columns of a query. */
export interface Shape {
  columns: readonly Column[];
  kinds: readonly FieldKind[];
  /** The same as long as the query gives columns of the same names and types. */
  signature: string;
  /** Columns that are sent with all their digits only where they are asked for as doubles. */
  floats: readonly string[];
}

/** What the driver's declarations leave out of a statement that is prepared. */
interface Prepared {
  columns: readonly WireField[];
  parameters: readonly unknown[];
  close: () => void;
}

export const prepare = (connection: Connection, sql: string): Promise<Prepared> =>
  new Promise((resolve, reject) => {
    connection.prepare(sql, (error, statement) => {
      if (error) reject(error);
      else {
        const { columns, parameters } = statement as unknown as Prepared;
        resolve({ columns, parameters, close: () => statement.close() });
      }
    });
  });

const invalid = (message: string): RunFailure =>
  new RunFailure({ code: 'config_invalid', class: 'config', message });

const refuseUnusable = ({ columns, parameters }: Prepared): void => {
  if (parameters.length > 0) throw invalid('The SQL has a question mark that stands for no value.');
  if (columns.length === 0) {
    throw invalid('The source has no columns: its SQL must be a query that answers rows.');
  }
  const names = columns.map(({ name }) => name.toLowerCase());
  const doubled = columns.filter(({ name }, at) => names.indexOf(name.toLowerCase()) !== at);
  if (doubled.length === 0) return;
  throw invalid(
    `Several columns of the source have the same name (${doubled.map(({ name }) => name).join(', ')}): give each an alias of its own.`,
  );
};

/** What columns a query has, without running it. */
export const describe = async (
  session: Session,
  sql: string,
  natives: ReadonlyMap<string, string> = new Map(),
): Promise<Shape> => {
  const prepared = await prepare(session.connection, sql);
  prepared.close();
  refuseUnusable(prepared);
  const typed = prepared.columns.map((field) => ({ wire: field, ...typeOfField(field) }));
  return {
    columns: typed.map(({ wire, type }): Column => {
      const native = natives.get(wire.name);
      return {
        name: wire.name,
        type,
        nullable: isNullable(wire),
        ...(native === undefined
          ? {}
          : { native: { system: 'mysql', type: native, portable: false } }),
      };
    }),
    kinds: typed.map(({ field }) => field),
    signature: typed
      .map(({ wire }) => [wire.name, wire.columnType, wire.flags & 96, wire.decimals].join(':'))
      .join(','),
    floats: prepared.columns.filter(isFloat).map(({ name }) => name),
  };
};

/**
 * The shortest text of a float that it comes back from: the six digits that the server gives where
 * they say it all, else those of the double that it is.
 */
const floatSql = (name: string): string =>
  `if(cast(concat(${name}) as float) = ${name}, concat(${name}), concat(cast(${name} as double)))`;

/** The query with every digit of its values. */
export const exactSql = (sql: string, { columns, floats }: Shape): string => {
  if (floats.length === 0) return sql;
  const list = columns.map(({ name }) => {
    const quoted = quoteName(name);
    return floats.includes(name) ? `${floatSql(quoted)} as ${quoted}` : quoted;
  });
  return `select ${list.join(', ')} from (\n${sql}\n) as fluxline_rows`;
};

const nativeSql = `
  select column_name as name, column_type as type, collation_name as collation
    from information_schema.columns where table_schema = ? and table_name = ?`;

/** Types as this table's definition has them, for another table of such a server. */
export const nativeTypesOf = async (
  session: Session,
  { schema, table }: TableName,
): Promise<ReadonlyMap<string, string>> => {
  const rows = await session.rows(nativeSql, [schema, table]);
  return new Map(rows.map(({ name, type }: Row) => [name ?? '', type ?? '']));
};
