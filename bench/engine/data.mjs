/** The rows that are measured with: 16 columns of mixed types, some of them NULL now and then. */
export const columns = [
  ['id', 'bigint', 'n'],
  ['customer_id', 'integer', '((n * 7919) % 100000 + 1)::integer'],
  ['quantity', 'smallint', '(n % 50)::smallint'],
  ['total', 'bigint', 'n * 131'],
  ['ratio', 'double precision', 'n / 7.0::double precision'],
  ['price', 'numeric(12,2)', '(n % 100000) / 100.0'],
  ['paid', 'boolean', 'n % 3 = 0'],
  ['ordered_on', 'date', "date '2020-01-01' + (n % 2000)::integer"],
  ['ordered_at', 'timestamptz', "timestamptz '2020-01-01 00:00:00Z' + n * interval '1 second'"],
  [
    'shipped_at',
    'timestamp',
    "case when n % 10 > 0 then timestamp '2020-01-02' + n * interval '1 minute' end",
  ],
  ['token', 'uuid', "lpad(to_hex(n), 32, '0')::uuid"],
  ['status', 'text', "(array['new', 'paid', 'shipped', 'returned'])[(n % 4 + 1)::integer]"],
  ['email', 'text', "'customer' || n % 100000 || '@example.com'"],
  [
    'note',
    'text',
    "case when n % 5 > 0 then 'a note about order ' || n || ', \"quoted\" now and then' end",
  ],
  ['attributes', 'jsonb', "jsonb_build_object('n', n, 'tag', 'x' || n % 10)"],
  ['region', 'text', "'region-' || n % 20"],
];

export const names = columns.map(([name]) => name).join(', ');

/** @param {string} table */
export const tableSql = (table, more = '') =>
  `create table ${table} (${columns.map(([name, type]) => `${name} ${type}`).join(', ')}${more})`;

/** @param {string} table @param {number} rows */
export const fillSql = (table, rows, from = 1) =>
  `insert into ${table} select ${columns.map(([, , value]) => value).join(', ')} from generate_series(${from}::bigint, ${from + rows - 1}::bigint) n`;
