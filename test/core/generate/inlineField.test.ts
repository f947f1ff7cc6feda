import fc from 'fast-check';
import { parseDataType } from '../../../core/dataTypes.js';
import type { DataType } from '../../../core/dataTypes.js';
import { inlineField } from '../../../core/generate/inlineField.js';

const typed = (word: string): DataType => {
  const type = parseDataType(word);
  if (!type) throw new Error(`no type ${word}`);
  return type;
};
const field = (word: string, value: unknown) => inlineField(typed(word), value);

const good: [string, unknown, string][] = [
  ['boolean', true, 'true'],
  ['smallint', -32768, '-32768'],
  ['integer', 2147483647, '2147483647'],
  ['integer', '+7', '+7'],
  ['bigint', '9223372036854775807', '9223372036854775807'],
  ['decimal(5,2)', 123.45, '123.45'],
  ['decimal(5,2)', '-000.10', '-000.10'],
  ['decimal(30,0)', '123456789012345678901234567890', '123456789012345678901234567890'],
  [
    'numeric',
    '-123456789012345678901234567890.000000000000000000001',
    '-123456789012345678901234567890.000000000000000000001',
  ],
  ['numeric', 0.1, '0.1'],
  ['real', 1.5, '1.5'],
  ['double', 1e300, '1e+300'],
  ['double', '-Infinity', '-Infinity'],
  ['double', 'NaN', 'NaN'],
  ['double', '0e-999', '0e-999'],
  ['text', '', '""'],
  ['text', 'a,b', '"a,b"'],
  ['bytes', '', '\\x'],
  ['bytes', 'AP8=', '\\x00ff'],
  ['bytes', 'AAECAw==', '\\x00010203'],
  ['uuid', '0197F5F6-0000-7000-8000-000000000000', '0197F5F6-0000-7000-8000-000000000000'],
  ['date', '2024-02-29', '2024-02-29'],
  ['time', '23:59:59.123456', '23:59:59.123456'],
  ['timestamp', '2026-01-01 10:00', '2026-01-01 10:00'],
  ['timestamptz', '2026-01-01T10:00:00.5+05:30', '2026-01-01T10:00:00.5+05:30'],
  ['timestamptz', '2026-01-01T10:00:00Z', '2026-01-01T10:00:00Z'],
  ['interval', 'P1DT2H', '0 months 1 days 7200.000000 seconds'],
  ['json', { a: [1, 'x'] }, '"{""a"":[1,""x""]}"'],
  ['json', 'text', '"""text"""'],
  ['json', '\\u0000 in words', '"""\\\\u0000 in words"""'],
];

it.each(good)('%s takes %j as %s', (word, value, expected) => {
  expect(field(word, value)).toBe(expected);
});

const bad: [string, unknown][] = [
  ['boolean', 'true'],
  ['boolean', 1],
  ['smallint', 32768],
  ['integer', -2147483649],
  ['integer', 1.5],
  ['integer', '1e3'],
  ['integer', ''],
  ['bigint', 2 ** 53],
  ['bigint', '9223372036854775808'],
  ['decimal(5,2)', '1234'],
  ['decimal(5,2)', '1.234'],
  ['decimal(5,2)', '.'],
  ['decimal(5,2)', 'NaN'],
  ['decimal(30,0)', 1e21],
  ['numeric', 1e21],
  ['numeric', 'NaN'],
  ['numeric', '1'.repeat(131_073)],
  ['numeric', `0.${'1'.repeat(16_384)}`],
  ['real', 1e300],
  ['real', '1e-60'],
  ['double', '1e999'],
  ['double', 'ten'],
  ['text', 7],
  ['text', 'a\u0000b'],
  ['text', '\ud800'],
  ['bytes', 'AP8'],
  ['bytes', 'no base64!!!'],
  ['uuid', '0197f5f600007000800000000000000'],
  ['date', '2026-02-29'],
  ['date', '01.02.2026'],
  ['time', '24:00'],
  ['timestamp', '2026-01-01T25:00'],
  ['timestamp', '2026-01-01T10:00Z'],
  ['timestamptz', '2026-01-01T10:00'],
  ['timestamptz', '2026-02-30T10:00Z'],
  ['timestamptz', '2026-01-01T10:00+99:00'],
  ['interval', '1 day'],
  ['interval', 86_400],
  ['json', 'a\u0000b'],
  ['json', { '\udc00': 1 }],
];

it.each(bad)('%s does not take %j', (word, value) => {
  expect(field(word, value)).toBeUndefined();
});

it('takes null as NULL for every type', () => {
  for (const [word] of good) expect(field(word, null)).toBe('');
});

it('never throws, whatever JSON brings, and writes a field rather than a line', () => {
  const types = [...new Set(good.map(([word]) => word))];
  fc.assert(
    fc.property(fc.constantFrom(...types), fc.anything(), (word, value) => {
      const json = JSON.stringify(value) as string | undefined;
      fc.pre(json !== undefined);
      const result = field(word, JSON.parse(json));
      expect(result === undefined || /^("([^"]|"")*"|[^",\r\n]*)$/.test(result)).toBe(true);
    }),
  );
});

it('writes bytes as PostgreSQL reads them', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      const sent = Buffer.from(bytes);
      expect(field('bytes', sent.toString('base64'))).toBe(`\\x${sent.toString('hex')}`);
    }),
  );
});

it('takes every safe integer and every finite double', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), fc.double({ noNaN: true }), (integer, double) => {
      expect(Number(field('bigint', integer))).toBe(integer);
      expect(Number(field('double', double))).toBe(double + 0);
    }),
  );
});
