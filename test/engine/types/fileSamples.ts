/** What files can hold: fields of csv and values of JSON as they are written, Parquet's types. */
import type { SourceFilesConfig } from '../../../core/nodes/sourceFiles.js';

export type FileOptions = NonNullable<SourceFilesConfig['options']>;

export interface TextSample {
  what: string;
  /** As the file has them, quotes and all; undefined: the member is missing. */
  values: readonly (string | undefined)[];
  options?: FileOptions;
}

export const csvSamples: readonly TextSample[] = [
  { what: 'true and false', values: ['true', 'FALSE'] },
  { what: 't, yes, 1 and the like', values: ['t', 'yes', 'on', '1'] },
  { what: 'integers', values: ['0', '-5', '9223372036854775807'] },
  { what: 'integers beyond 2^63', values: ['1', '9223372036854775808', '9'.repeat(38)] },
  { what: 'integers of more than 38 digits', values: ['1', '9'.repeat(39)] },
  { what: 'leading zeros', values: ['007', '12'] },
  { what: 'a plus sign, a minus before zero', values: ['+5', '-0'] },
  { what: 'decimals', values: ['1.50', '-0.1', '12345678901234567890.12345678901234567890'] },
  { what: 'integers and decimals', values: ['1', '1.50'] },
  { what: 'a decimal comma, separators of thousands', values: ['"1,5"', '"1,000.00"'] },
  { what: 'exponents, NaN', values: ['1e5', '1.5E-300', 'NaN', '5e-324'] },
  { what: 'exponents and long decimals', values: ['1e5', '0.12345678901234567890'] },
  { what: 'Infinity', values: ['1.5', 'Infinity', '-inf'] },
  { what: 'dates', values: ['2024-02-29', '9999-12-31'] },
  { what: 'days that are none', values: ['2024-02-30'] },
  { what: 'days in other orders', values: ['29/02/2024', '2/29/24'] },
  { what: 'moments', values: ['2024-02-29 12:34:56.123456', '2024-02-29T12:34'] },
  { what: 'moments with nanoseconds', values: ['2024-02-29 12:34:56.123456789'] },
  { what: 'dates and moments', values: ['2024-02-29', '2024-02-29 12:00:00'] },
  { what: 'moments with a zone', values: ['2024-02-29T12:34:56Z', '2024-02-29 12:34:56+05:30'] },
  { what: 'moments, some with a zone', values: ['2024-02-29 12:34:56', '2024-02-29 12:34:56Z'] },
  { what: 'times', values: ['12:34:56.789', '00:00:00'] },
  { what: '24:00:00', values: ['12:00:00', '24:00:00'] },
  { what: 'uuids', values: ['0197f5f6-0000-7000-8000-000000000000'] },
  { what: 'uuids in capitals', values: ['0197F5F6-0000-7000-8000-00000000000A'] },
  { what: 'texts', values: ['a', '"b ""c"", d"', '"two\nlines"', ' blanks ', "it's", '\\x41'] },
  { what: 'nothing, and the empty text', values: ['x', '', '""'] },
  { what: 'numbers, and nothing', values: ['1', ''] },
  { what: 'numbers, and the empty text', values: ['1', '""'] },
  { what: 'numbers in quotes', values: ['"1"', '"2"'] },
  { what: 'nothing at all', values: ['', ''] },
  { what: 'words for NULL', values: ['NULL', 'null', '\\N', 'NA'] },
  {
    what: 'words for NULL, with `nullString: "NULL"`',
    values: ['1', 'NULL', '"NULL"'],
    options: {
      nullString: 'NULL',
      columns: [
        { name: 'n', type: 'integer' },
        { name: 'c0', type: 'text' },
      ],
    },
  },
  { what: 'numbers, and texts', values: ['1', 'x'] },
  { what: 'numbers, and texts after the sample', values: ['1', 'x'], options: { sampleRows: 2 } },
  {
    what: 'numbers, and wider ones after the sample',
    values: ['1', '1.5'],
    options: { sampleRows: 2 },
  },
];

export const jsonSamples: readonly TextSample[] = [
  { what: 'true and false', values: ['true', 'false', 'null'] },
  { what: 'integers', values: ['0', '9007199254740993', '-9223372036854775808'] },
  { what: 'integers beyond 2^63', values: ['1', '18446744073709551615', '9'.repeat(38)] },
  { what: 'integers of more than 38 digits', values: ['9'.repeat(39)] },
  { what: 'decimals', values: ['1.50', '1', '-0.0', '1e5', '0.12345678901234567890'] },
  { what: 'numbers beyond double', values: ['1.5', '1e400'] },
  { what: 'texts', values: ['"a \\"b\\"\\n"', '""', '"null"', '"\\u00e9\\ud83e\\udd86"', '"007"'] },
  { what: 'texts with the character 0', values: ['"a"', '"\\u0000"'] },
  { what: 'null, and no member', values: ['"x"', 'null', undefined] },
  { what: 'texts that are numbers', values: ['"1"', '"2.50"'] },
  { what: 'texts that are dates', values: ['"2024-02-29"'] },
  {
    what: 'texts that are moments',
    values: ['"2024-02-29T12:34:56Z"', '"2024-02-29 12:34:56+05:30"'],
  },
  { what: 'texts that are uuids', values: ['"0197f5f6-0000-7000-8000-000000000000"'] },
  { what: 'objects', values: ['{"b":1.10,"a":{}}', '{}'] },
  { what: 'arrays', values: ['[1,"a",null]', '[]'] },
  {
    what: 'objects with long numbers',
    values: ['{"a":12345678901234567890123.50}', '{"a":123456789012345678901}'],
  },
  { what: 'objects with a member twice', values: ['{"a":1,"a":2}'] },
  { what: 'several kinds', values: ['1', '"a"', '{"a":1}', 'true'] },
  { what: 'numbers and texts', values: ['1', '"a"'] },
];

export interface ParquetSample {
  /** In DuckDB's SQL. */
  values: readonly string[];
}

const cast = (type: string, ...values: string[]): ParquetSample => ({
  values: values.map((value) => `'${value}'::${type}`),
});

export const parquetSamples: readonly ParquetSample[] = [
  cast('BOOLEAN', 'true', 'false'),
  cast('TINYINT', '-128', '127'),
  cast('UTINYINT', '0', '255'),
  cast('SMALLINT', '-32768'),
  cast('USMALLINT', '65535'),
  cast('INTEGER', '-2147483648'),
  cast('UINTEGER', '4294967295'),
  cast('BIGINT', '-9223372036854775808'),
  cast('UBIGINT', '18446744073709551615'),
  cast('FLOAT', '0.1', '-0', 'nan', 'inf', '1e-45'),
  cast('DOUBLE', '0.1', '-0', 'nan', '-inf', '5e-324'),
  cast('DECIMAL(9,2)', '-9999999.99'),
  cast('DECIMAL(38,10)', '1234567890123456789012345678.0123456789'),
  cast('VARCHAR', '', 'é 漢字 🦆', 'a,"b"\n\\', 'NULL'),
  cast('BLOB', '', '\\x00\\xFF\\x5C', 'abc'),
  cast('UUID', '0197f5f6-0000-7000-8000-000000000000'),
  cast('DATE', '2024-02-29', '0044-03-15 (BC)', '5881580-07-10', 'infinity'),
  cast('TIME', '23:59:59.999999', '24:00:00'),
  cast('TIMESTAMP', '2024-02-29 12:34:56.123456', '0044-03-15 (BC) 12:00:00', '-infinity'),
  cast('TIMESTAMP_MS', '2024-02-29 12:34:56.123'),
  cast('TIMESTAMP_NS', '2024-02-29 12:34:56.123456', '2024-02-29 12:34:56.123456789'),
  cast(
    'TIMESTAMPTZ',
    ...['2024-02-29 12:34:56.123456+05:30', '0044-03-15 (BC) 12:00:00+00', 'infinity'],
    ...['9999-12-31 23:59:59.999999+00', '294246-12-31 23:59:59.999999+00'],
  ),
  cast('INTERVAL', '1 year 2 months 3 days 04:05:06.789'),
  cast('JSON', '{"a": 1.10}', '{"a": 12345678901234567890.12345}', '[1,  2]', '"x"'),
  cast("ENUM('sad', 'glad')", 'glad'),
  { values: ['[1, NULL]', '[]::INTEGER[]'] },
  { values: [`['a "b"', NULL, '']`] },
  { values: [`{'a': 1, 'b': 'x', 'c': 1.10::DECIMAL(9,2)}`] },
  { values: [`{'at': TIMESTAMP '2024-02-29 12:34:56.123456', 'day': DATE '2024-02-29'}`] },
  {
    values: [
      `{'big': 9223372036854775807, 'wide': 1234567890123456789.0123456789::DECIMAL(38,10)}`,
    ],
  },
  { values: [`{'bytes': '\\xFF\\x00'::BLOB}`] },
  { values: [`{'double': 'nan'::DOUBLE}`] },
  { values: [`MAP {'a': 1, 'b': NULL}`] },
  { values: ['MAP {1: [1]}'] },
  { values: [`[{'a': [1]}]`] },
];
