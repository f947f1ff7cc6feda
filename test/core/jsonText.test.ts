import fc from 'fast-check';
import {
  elementsOf,
  isArrayAt,
  isObjectAt,
  JsonFlaw,
  membersOf,
  parsePath,
  skipBlank,
  valueAt,
  valueFrom,
} from '../../core/jsonText.js';

/** As JSON holds it: there is no -0 in what JSON.stringify writes. */
const values = fc
  .jsonValue({ noUnicodeString: false })
  .map((value) => JSON.parse(JSON.stringify(value)) as unknown);

const blanks = fc.stringMatching(/^[ \t\r\n]{0,3}$/);

/** JSON with blanks wherever they may be, and what it means. */
const written = (value: unknown, blank: string): string => {
  const between = (parts: string[]): string => parts.join(`${blank},${blank}`);
  if (Array.isArray(value)) {
    return `[${blank}${between(value.map((one) => written(one, blank)))}${blank}]`;
  }
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(
      ([name, one]) => `${JSON.stringify(name)}${blank}:${blank}${written(one, blank)}`,
    );
    return `{${blank}${between(members)}${blank}}`;
  }
  return JSON.stringify(value);
};

const text = (span: { from: number; to: number }, json: Buffer): unknown =>
  JSON.parse(json.toString('utf8', span.from, span.to));

it('finds members and elements where they are', () => {
  fc.assert(
    fc.property(values, blanks, (value, blank) => {
      const json = Buffer.from(`${blank}${written(value, blank)}${blank}`);
      const whole = valueFrom(json, 0);
      expect(text(whole, json)).toEqual(value);
      expect(skipBlank(json, whole.to)).toBe(json.length);
      if (isArrayAt(json, whole.from)) {
        expect([...elementsOf(json, whole.from)].map((span) => text(span, json))).toEqual(value);
      }
      if (isObjectAt(json, whole.from)) {
        const members = [...membersOf(json, whole.from)];
        expect(members.map(({ name, ...span }) => [name, text(span, json)])).toEqual(
          Object.entries(value as object),
        );
      }
    }),
  );
});

it.each([
  ['', '{"a":1}', '{"a":1}'],
  ['a.b', '{"a":{"b":[1]}}', '[1]'],
  ['/a/b/1', '{"a":{"b":[1,2.50]}}', '2.50'],
  ['a.0.b', '{"a":[{"b":null}]}', 'null'],
  ['/a~1b/~0', '{"a/b":{"~":"x"}}', '"x"'],
  ['/', '{"":5}', '5'],
  ['a', '{"\\u0061":1}', '1'],
  ['a.c', '{"a":{"b":1}}', undefined],
  ['a.b', '{"a":1}', undefined],
  ['/a/01', '{"a":[1,2]}', undefined],
  ['/a/2', '{"a":[1,2]}', undefined],
])('a path %j leads in %s to %s', (path, json, expected) => {
  const bytes = Buffer.from(json);
  const span = valueAt(bytes, 0, parsePath(path));
  expect(span && bytes.toString('utf8', span.from, span.to)).toBe(expected);
});

it.each(['', '  ', '"a', '"a\\"', '{', '[1', '{"a":1]', '[{]}', ',', '}'])(
  'is not taken in by %j',
  (json) => {
    expect(() => valueFrom(Buffer.from(json), 0)).toThrow(JsonFlaw);
  },
);

it.each(['[1 2]', '[1,,2]', '[1,]'])('wants commas between elements: %s', (json) => {
  expect(() => [...elementsOf(Buffer.from(json), 0)]).toThrow(JsonFlaw);
});

it.each(['{"a" 1}', '{a:1}', '{"a":1 "b":2}', '{"a":1,}', '{"a":}', '{"\\x":1}'])(
  'wants names and colons: %s',
  (json) => {
    expect(() => [...membersOf(Buffer.from(json), 0)]).toThrow(JsonFlaw);
  },
);

it('goes as deep as it has to', () => {
  const deep = Buffer.from('['.repeat(1_000_000) + ']'.repeat(1_000_000));
  expect(valueFrom(deep, 0)).toEqual({ from: 0, to: deep.length });
});
