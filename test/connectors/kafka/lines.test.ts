import fc from 'fast-check';
import { keyText, makeLineOf } from '../../../connectors/kafka/lines.js';

const fixed = { offset: 5, timestamp: 0, key: null };
const start = '{"_partition":2,"_offset":5,"_timestamp":"1970-01-01T00:00:00.000Z","_key":null';

const lineOf = (value: string | Buffer | null, rest: object = {}): string => {
  const bytes = typeof value === 'string' ? Buffer.from(value) : value;
  const line = makeLineOf(2)({ ...fixed, ...rest, value: bytes });
  return line.head + (line.rest?.toString() ?? '');
};

test.each([
  ['{}', `${start}}`],
  [' { } ', `${start}} `],
  ['{"a":1.10}', `${start},"a":1.10}`],
  ['{ "a":\r\n[1,\n2]}', `${start},"a":  [1, 2]}`],
  ['{"a":{"_offset":1}}', `${start},"a":{"_offset":1}}`],
  [
    '{"x":"_key\\"" , "_key" : {"_key":2},"__key":3}',
    `${start},"x":"_key\\"" , "__key":{"_key":2},"___key":3}`,
  ],
  ['{"\\u005foffset":7}', `${start},"__offset":7}`],
  ['{"_offset":1', `${start},"_offset":1`],
])('%s', (value, line) => {
  expect(lineOf(value)).toBe(line);
});

test('no value, and no object', () => {
  expect(lineOf(null)).toBe(`${start}}`);
  expect(lineOf('x\n"y"')).toBe(JSON.stringify('partition 2, offset 5: no object of JSON: x\n"y"'));
  // Made one line, it would be JSON, of another text.
  expect(JSON.parse(lineOf('{"a":"b\nc"}'))).toContain('no object');
  expect(lineOf('x'.repeat(100_000)).length).toBeLessThan(20_000);
});

test('an object keeps all it has, beside the columns', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.boolean(), (object, pretty) => {
      const line = lineOf(JSON.stringify(object, null, pretty ? 2 : 0));
      expect(line).not.toMatch(/[\r\n]/);
      const { _partition, _offset, _timestamp, _key, ...own } = JSON.parse(line) as Record<
        string,
        unknown
      >;
      expect([_partition, _offset, _timestamp, _key].slice(0, 2)).toEqual([2, 5]);
      expect(own).toEqual(JSON.parse(JSON.stringify(object)));
    }),
  );
});

test('moments', () => {
  const timestampOf = (timestamp: number): unknown =>
    (JSON.parse(lineOf('{}', { timestamp })) as Record<string, unknown>)['_timestamp'];
  expect(timestampOf(-1)).toBeNull();
  expect(timestampOf(1_700_000_000_123)).toBe('2023-11-14T22:13:20.123Z');
  expect(timestampOf(9e15)).toBe('9000000000000000');
});

test('keys', () => {
  expect(keyText(Buffer.from('ü'))).toBe('ü');
  expect(keyText(Buffer.from([0xff, 0x00]))).toBe('\\xff00');
  expect(keyText(Buffer.from([0, 0, 0, 5]))).toBe('\\x00000005');
  expect(lineOf('{}', { key: Buffer.from('a"\n') })).toContain('"_key":"a\\"\\n"}');
});
