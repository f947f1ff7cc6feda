import type pg from 'pg';
import { RunFailure } from '../../core/failures.js';
import type { Column } from '../connector.js';
import { columnTypeOf, paddedOid } from './nativeTypes.js';
import type { TypeRow } from './nativeTypes.js';

/** Domains are what they are over; arrays of domains are not. */
const typesSql = `
  with recursive base as (
    select n, oid, modifier
      from unnest($1::oid[], $2::int4[]) with ordinality wanted (oid, modifier, n)
    union all
    select base.n, t.typbasetype, t.typtypmod
      from base join pg_type t on t.oid = base.oid and t.typtype = 'd'
  )
  select t.oid::int8::text as oid, base.modifier, format_type(t.oid, base.modifier) as name,
         t.typtype as kind, t.typcategory as category,
         case when t.typcategory = 'A' then t.typelem else 0 end::int8::text as element,
         t.typsend <> 0 and t.typreceive <> 0 as binary
    from base join pg_type t on t.oid = base.oid and t.typtype <> 'd'
   order by base.n`;

type WireTypeRow = Omit<TypeRow, 'oid' | 'element'> & { oid: string; element: string };

/** The columns of a query, before their types are looked up. */
export interface Fields {
  names: readonly string[];
  /** The same as long as the query gives columns of the same types. */
  signature: string;
  list: readonly pg.FieldDef[];
}

export interface Description {
  columns: readonly Column[];
  signature: string;
  /** Columns that csv has to take the blanks from. */
  padded: readonly string[];
}

const refuseUnusable = (names: readonly string[]): void => {
  if (names.length === 0) {
    throw new RunFailure({
      code: 'config_invalid',
      class: 'config',
      message: 'The source has no columns: there is nothing to read.',
    });
  }
  const doubled = [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
  if (doubled.length === 0) return;
  throw new RunFailure({
    code: 'config_invalid',
    class: 'config',
    message: `Several columns of the source have the same name (${doubled.join(', ')}): give each an alias of its own.`,
  });
};

/**
 * What columns a query has, without running it: the server stops before the first row. What the
 * query reads stays locked against changes of its shape until the transaction ends.
 */
export const fieldsOf = async (client: pg.Client, sql: string): Promise<Fields> => {
  // With values a query is prepared, and then its text is one statement or none.
  const { fields } = await client.query({
    text: `select * from (\n${sql}\n) as fluxline_shape limit $1`,
    values: [0],
    rowMode: 'array',
  });
  const names = fields.map(({ name }) => name);
  refuseUnusable(names);
  const signature = fields
    .map(({ dataTypeID, dataTypeModifier }) => `${dataTypeID}:${dataTypeModifier}`)
    .join(',');
  return { names, signature, list: fields };
};

const typesOf = async (client: pg.Client, { list }: Fields): Promise<TypeRow[]> => {
  const { rows } = await client.query<WireTypeRow>(typesSql, [
    list.map(({ dataTypeID }) => dataTypeID),
    list.map(({ dataTypeModifier }) => dataTypeModifier),
  ]);
  return rows.map((row) => ({ ...row, oid: Number(row.oid), element: Number(row.element) }));
};

/** `isNotNull` knows the columns of the one table that is read; of other queries nobody knows. */
export const describe = async (
  client: pg.Client,
  sql: string,
  isNotNull: (tableOid: number, columnNumber: number) => boolean = () => false,
): Promise<Description> => {
  const fields = await fieldsOf(client, sql);
  const types = await typesOf(client, fields);
  const columns = fields.list.map(({ name, tableID, columnID }, index): Column => {
    const row = types[index];
    const type: Pick<Column, 'type' | 'native'> = row
      ? columnTypeOf(row)
      : { type: { kind: 'text' } };
    return { name, nullable: !isNotNull(tableID, columnID), ...type };
  });
  const padded = fields.names.filter((_name, index) => types[index]?.oid === paddedOid);
  return { columns, signature: fields.signature, padded };
};
