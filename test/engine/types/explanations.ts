import type { Explanation } from './notes.js';

const ofOneDatabase = ['enum', 'array of an enum', 'array of a domain', 'composite'];
const references = ['range of a domain', 'regclass'];

/** What only PostgreSQL has a type for. */
const unknown = [
  ...[
    'money',
    '"char"',
    'name',
    'xml',
    'timetz',
    'cidr',
    'macaddr',
    'macaddr8',
    'bit(3)',
    'varbit',
  ],
  ...['tsvector', 'tsquery', 'point', 'box', 'path', 'pg_lsn', 'xid8', 'integer[]', 'text[]'],
  ...['numeric(5,2)[]', 'timestamptz[]', 'int4range', 'numrange', 'tstzrange', 'int4multirange'],
];

const unbounded = ['numeric', 'numeric(50,10)', 'numeric(3,-2)'];

export const explanations: readonly Explanation[] = [
  {
    from: [...ofOneDatabase, ...references],
    to: 'text',
    why:
      'the type, or what its values refer to, belongs to one database. The text arrives, and a ' +
      'column of that type in a table that is there before takes it.',
  },
  {
    from: ['domain over numeric(8,2)'],
    to: 'numeric(8,2)',
    why: 'the type below the domain; its checks stay in the source.',
  },
  {
    from: unknown,
    to: 'text',
    why: 'DuckDB has no such type. An expression sees the text that PostgreSQL writes, and gives one.',
  },
  {
    from: ['inet'],
    to: 'text',
    why: 'as above; PostgreSQL writes a host without the mask that a cast to text would add.',
  },
  {
    from: ['varchar(5)', 'char(5)'],
    to: 'text',
    why: 'texts of expressions have no length. Blanks at the end of a `char` are no part of it.',
  },
  {
    from: unbounded,
    to: 'double precision',
    why:
      'decimals of DuckDB have a scale and 38 digits at most, so an expression sees a double, ' +
      'exact to 15 digits. Where that is not enough, name a precision in the SQL of a ' +
      '`source.query`, as in `amount::numeric(38,10)`.',
  },
  {
    from: ['real'],
    to: 'FLOAT',
    why: 'Parquet writers keep equal values of a column once, and −0 and 0 are equal: −0 becomes 0.',
  },
  { from: ['double precision'], to: 'DOUBLE', why: 'as above.' },
  { from: ['oid'], to: 'bigint', why: 'the number of it.' },
  {
    from: ['json'],
    to: 'jsonb',
    why:
      'JSON of expressions is loaded as jsonb, which keeps neither blanks nor order nor members ' +
      'that come twice.',
  },
  {
    from: ['timestamp(3)'],
    to: 'timestamp without time zone',
    why: 'the same moment; the column that is created takes all six digits.',
  },
  {
    from: unbounded,
    to: 'VARCHAR',
    why: 'Parquet has no number without a bound. Every digit is there, as text.',
  },
  {
    from: [...unknown, ...ofOneDatabase, ...references, 'varchar(5)', 'char(5)', 'inet'],
    to: 'VARCHAR',
    why: 'the text that PostgreSQL writes.',
  },
  {
    from: ['json', 'jsonb'],
    to: 'VARCHAR',
    why: 'the very text.',
  },
  {
    from: ['interval'],
    to: 'VARCHAR',
    why: "Parquet's own intervals have no microseconds and no signs.",
  },
  { from: ['oid'], to: 'BIGINT', why: 'the number of it.' },
  { from: ['timestamp(3)'], to: 'TIMESTAMP', why: 'the same moment, in microseconds.' },
  { from: ['domain over numeric(8,2)'], to: 'DECIMAL(8,2)', why: 'the type below the domain.' },
  { from: ['csv'], to: 'boolean', why: 'the value; PostgreSQL writes small letters.' },
  {
    from: ['csv'],
    to: 'double precision',
    why:
      'a column with exponents is one, exact to 15 digits and in the shortest form that reads back; ' +
      'so are decimals that an expression names.',
  },
  {
    from: ['csv'],
    to: 'timestamp without time zone',
    why: 'the same moment; a date is its midnight.',
  },
  {
    from: ['csv', 'JSON'],
    to: 'timestamp with time zone',
    why: 'the same moment; a zone is worked in, and not kept.',
  },
  { from: ['csv'], to: 'text', why: 'an unquoted field that is the `nullString` is NULL.' },
  {
    from: ['JSON'],
    to: 'double precision',
    why: "JSON's numbers with a point or an exponent, and integers of more than 38 digits, are doubles.",
  },
  {
    from: ['JSON'],
    to: 'jsonb',
    why: 'within objects and arrays, numbers with a point are read as doubles and written in their shortest form.',
  },
  {
    from: ['TIMESTAMP_NS'],
    to: 'timestamp without time zone',
    why: 'PostgreSQL has microseconds; what is below is cut off.',
  },
];
