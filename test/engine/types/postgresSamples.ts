/** Every type of PostgreSQL with values at its edges, as PostgreSQL reads them. */

export interface TypeSample {
  /** As DDL has it. */
  declared: string;
  /** How the table of documentation calls it, where that is something else. */
  called?: string;
  /** None: the column makes its values itself. */
  values: readonly (string | null)[];
}

/** Types that a database has for itself. */
export const ownTypes = `
  create type mood as enum ('sad', 'so, so', 'glad');
  create domain price as numeric(8,2) check (value >= 0);
  create type pair as (a integer, b text);
  create type span as range (subtype = price);`;

const sample = (declared: string, ...values: (string | null)[]): TypeSample => ({
  declared,
  values: [...values, null],
});

const called = (name: string, declared: string, ...values: string[]): TypeSample => ({
  ...sample(declared, ...values),
  called: name,
});

const computed = (name: string, declared: string): TypeSample => ({
  declared,
  called: name,
  values: [],
});

const allBytes = `\\x${Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)).toString('hex')}`;
const doubles = ['0', '-0', '0.1', 'NaN', 'Infinity', '-Infinity'];
const digits = '12345678901234567890123456789012345678901234567890.123456789';
const json =
  '{"b": 1.10, "a":  [9007199254740993, 12345678901234567890123.5, 1e400, -0.0], "b": 2}';

const numbers: readonly TypeSample[] = [
  sample('boolean', 'true', 'false'),
  sample('smallint', '-32768', '32767'),
  sample('integer', '-2147483648', '2147483647'),
  sample('bigint', '-9223372036854775808', '9223372036854775807'),
  sample('real', ...doubles, '1e-45', '3.4028235e38', '16777217'),
  sample('double precision', ...doubles, '5e-324', '1.7976931348623157e308', '9007199254740993'),
  sample('numeric', '0', '1.10', '0.1', '12345678901234567', digits, '1e-20'),
  called('numeric, not finite', 'numeric', 'NaN', 'Infinity', '-Infinity', '1e400'),
  sample('numeric(10,2)', '1.10', '-99999999.99'),
  called('numeric(10,2), not a number', 'numeric(10,2)', 'NaN'),
  sample('numeric(38,10)', '1234567890123456789012345678.0123456789', '-0.0000000001'),
  sample('numeric(50,10)', '1234567890123456789012345678901234567890.0123456789', '1.5'),
  sample('numeric(3,-2)', '12300', '-99900'),
  sample('money', '-92233720368547758.08', '1234.5'),
  sample('oid', '0', '4294967295'),
];

const texts: readonly TypeSample[] = [
  sample('text', '', ' ', 'NULL', '\\N', '\\.', 'a,b;"c"\r\nd\te\\', 'é 漢字 🦆', "it's"),
  sample('varchar(5)', '', 'abcde', ' a  '),
  sample('char(5)', '', 'abc', ' a'),
  sample('"char"', 'x', ''),
  sample('name', 'a name'),
  sample('bytea', '\\x', '\\x00', '\\x5c78', allBytes),
  sample('uuid', '00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'),
  sample('json', json, '"text"', 'null', '12345678901234567890', ' [1 , 2]'),
  sample('jsonb', json.replace('1e400, ', ''), '"text"', 'null', '12345678901234567890.10', '{}'),
  sample('xml', '<a b="c">d &amp; e</a>', 'text <b/>'),
];

const moments: readonly TypeSample[] = [
  sample('date', '2024-02-29', '0001-01-01', '0044-03-15 BC', '4714-11-24 BC', '5874897-12-31'),
  called('date, endless', 'date', 'infinity', '-infinity'),
  sample('time', '00:00:00', '23:59:59.999999', '24:00:00'),
  sample('timetz', '00:00:00+00', '23:59:59.999999-15:59', '24:00:00+01:30:15'),
  sample(
    'timestamp',
    ...['2024-02-29 12:34:56.123456', '0001-01-01 00:00:00', '0044-03-15 12:00:00.000001 BC'],
    ...['4714-11-24 00:00:00 BC', '294246-12-31 23:59:59.999999', '294276-12-31 23:59:59.999999'],
  ),
  called('timestamp, endless', 'timestamp', 'infinity', '-infinity'),
  sample('timestamp(3)', '2024-02-29 12:34:56.789'),
  sample(
    'timestamptz',
    ...['2024-02-29 12:34:56.123456+05:30', '0001-01-01 00:00:00-11', '0044-03-15 12:00:00+00 BC'],
    ...['294246-12-31 23:59:59.999999+00', '294276-12-31 23:59:59.999999+00'],
  ),
  called('timestamptz, endless', 'timestamptz', 'infinity', '-infinity'),
  sample(
    'interval',
    ...['0', '1 year 2 months -3 days 04:05:06.789', '-1 month 31 days -00:00:00.000001'],
    ...['-178000000 years', '24:00:00', '1 day', '2562047788:00:54.775807'],
  ),
  called('interval, endless', 'interval', 'infinity', '-infinity'),
];

const others: readonly TypeSample[] = [
  sample('inet', '192.168.0.1/24', '::1', '10.0.0.1'),
  sample('cidr', '10.0.0.0/8', '2001:db8::/32'),
  sample('macaddr', '08:00:2b:01:02:03'),
  sample('macaddr8', '08:00:2b:01:02:03:04:05'),
  sample('bit(3)', '101'),
  sample('varbit', '', '0010110'),
  sample('tsvector', "'a fat':2,4 'cat''s':3A"),
  sample('tsquery', "'fat' & !'rat'"),
  sample('point', '(1.5,-0.1)'),
  sample('box', '(2,2),(0,0)'),
  sample('path', '[(0,0),(1,1)]'),
  sample('pg_lsn', '16/B374D848'),
  sample('regclass', 'pg_class'),
  sample('xid8', '18446744073709551615'),
  sample('integer[]', '{}', '{1,NULL,-2}', '{{1,2},{3,4}}', '[0:1]={7,8}'),
  sample('text[]', '{}', '{"a \\"b\\"",NULL,"NULL","",",{}\\\\"}'),
  sample('numeric(5,2)[]', '{1.10,NaN}'),
  sample('timestamptz[]', '{"2024-02-29 12:00:00+00",infinity}'),
  sample('int4range', 'empty', '[1,10)', '(,)'),
  sample('numrange', '[1.10,2.0]'),
  sample('tstzrange', '["2024-02-29 12:00:00+00",)'),
  sample('int4multirange', '{}', '{[1,3),[5,7)}'),
  called('enum', 'mood', 'sad', 'so, so'),
  called('array of an enum', 'mood[]', '{sad,"so, so",NULL}'),
  called('domain over numeric(8,2)', 'price', '1.10', '999999.99'),
  called('array of a domain', 'price[]', '{1.10,NULL}'),
  called('composite', 'pair', '(1,"a, \\"b\\"")', '(,)'),
  called('range of a domain', 'span', '[1.10,2.00)'),
  computed('integer, generated, stored', 'integer generated always as (n * 2) stored'),
  computed('integer, generated, virtual', 'integer generated always as (n * 3) virtual'),
  computed('bigint, identity always', 'bigint generated always as identity'),
  computed('bigint, identity by default', 'bigint generated by default as identity'),
];

export const typeSamples: readonly TypeSample[] = [...numbers, ...texts, ...moments, ...others];
