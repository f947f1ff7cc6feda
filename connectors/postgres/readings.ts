import type pg from 'pg';
import type { BulkRead } from '../connector.js';
import { quoteName } from './quote.js';
import type { Target } from './table.js';

/** As what a column's values are read, so that what came and what stands can be compared. */
export interface Reading {
  name: string;
  /** The column's own type without length or precision, or a finer one. */
  type: string;
  /** Where it is not the one that the type brings along. */
  collation: string | null;
  /** In one form for equal values: of rows called l that came, and rows called t that stand. */
  came: string;
  stands: string;
}

interface BaseRow {
  name: string;
  type: string;
  collation: string | null;
}

/** Domains are what they are over: a length or precision of theirs is to be found out as well. */
const basesSql = `
  with recursive base as (
    select attname::text as name, atttypid as oid, attcollation as collation
      from pg_attribute
     where attrelid = $1 and attnum > 0 and not attisdropped and attname = any ($2::text[])
    union all
    select base.name, d.typbasetype, base.collation
      from base join pg_type d on d.oid = base.oid and d.typtype = 'd'
  )
  select base.name, format_type(t.oid, -1) as type,
         quote_ident(n.nspname) || '.' || quote_ident(c.collname) as collation
    from base
    join pg_type t on t.oid = base.oid and t.typtype <> 'd'
    left join (pg_collation c join pg_namespace n on n.oid = c.collnamespace)
      on c.oid = base.collation and c.oid <> t.typcollation`;

/**
 * Types that say less than others do, even without a precision: what comes is read as what it was
 * in the source, and what stands as what it spells.
 */
const finer: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  real: {
    integer: 'numeric',
    bigint: 'numeric',
    numeric: 'numeric',
    decimal: 'numeric',
    double: 'double precision',
  },
  'double precision': { bigint: 'numeric', numeric: 'numeric', decimal: 'numeric' },
  date: { timestamp: 'timestamp', timestamptz: 'timestamptz' },
  name: { text: 'text' },
  '"char"': { text: 'text' },
};

/** A key that is too long for its column is a bad row, and not another key. */
const limited: ReadonlySet<string> = new Set(['character varying', 'bpchar']);

/** Numbers are equal whatever zeros follow the point, and padded texts whatever blanks do. */
const formOf = (value: string, type: string): string => {
  if (type === 'bpchar') return `${value}::text`;
  if (type === 'numeric') return `hash_numeric_extended(${value}, 0)`;
  return type === 'numeric[]' || type === 'bpchar[]'
    ? `row(array_dims(${value}), hash_array_extended(${value}, 0))`
    : value;
};

const finerType = (type: string, kind: string, isKey: boolean): string | undefined => {
  const types = finer[type];
  // Keys are looked up as what they are in the table; a float is equal to no finer number.
  return isKey && types?.['numeric'] ? undefined : types?.[kind];
};

/**
 * How these columns of a table are compared. Without what came, rows come from a table that is
 * like this one; as binary they come only from columns of the very same types.
 */
export const readingsOf = async (
  client: pg.Client,
  target: Target,
  names: readonly string[],
  came?: BulkRead,
  keys: readonly string[] = [],
): Promise<Reading[]> => {
  const { rows } = await client.query<BaseRow>(basesSql, [target.oid, [...names]]);
  const kinds = new Map(
    came?.format === 'csv' ? came.columns.map(({ name, type }) => [name, type.kind]) : [],
  );
  return rows.map(({ name, type: base, collation }) => {
    const isKey = keys.includes(name);
    const wider = finerType(base, kinds.get(name) ?? '', isKey);
    const own = isKey && limited.has(base) ? target.columns.get(name)?.type : undefined;
    const type = own ?? wider ?? base;
    const spelt = type === base ? '' : '::text';
    return {
      name,
      type,
      collation,
      came: formOf(`l.${quoteName(name)}::${type}`, wider ?? base),
      stands: formOf(`t.${quoteName(name)}${spelt}::${type}`, wider ?? base),
    };
  });
};
