import fc from 'fast-check';
import { exactLine, exactLines, formsOf } from '../../../engine/documents/exactLines.js';
import type { Column } from '../../../connectors/connector.js';
import type { PlainType } from '../../../core/dataTypes.js';

const column = (name: string, kind: PlainType, member?: string): Column => ({
  name,
  type: { kind },
  nullable: true,
  ...(member === undefined ? {} : { member }),
});

const exact = (line: string, ...columns: Column[]): string =>
  exactLine(Buffer.from(line), formsOf(columns)).toString();

it.each([
  ['numbers', '{"a":1.10}', '{"a":"1.10"}'],
  ['blanks around them', '{ "a" : 1e5 }\n', '{ "a" : "1e5" }\n'],
  ['truths', '{"a":true}', '{"a":"true"}'],
  [
    'what is nested',
    '{"a":{"x": [1.0, "ü\\n\\""]}}',
    '{"a":"{\\"x\\": [1.0, \\"ü\\\\n\\\\\\"\\"]}"}',
  ],
  ['but no texts', '{"a":"1.10\\u0041"}', '{"a":"1.10\\u0041"}'],
  ['nor null', '{"a":null}', '{"a":null}'],
  ['nor other members', '{"b":1.10}', '{"b":1.10}'],
  ['nor what is no object', '[{"a":1.10}]', '[{"a":1.10}]'],
  ['nor what is no JSON', '{"a":1.10,}', '{"a":1.10,}'],
  ['nor half of it', '{"a":{"x":tru}}', '{"a":{"x":tru}}'],
])('quotes %s', (_, line, expected) => {
  expect(exact(line, column('a', 'numeric'))).toBe(expected);
});

it('quotes texts of JSON once more, and finds members by their own names', () => {
  expect(exact('{"A":"x","a":"x"}', column('a', 'json'), column('A_1', 'text', 'A'))).toBe(
    '{"A":"x","a":"\\"x\\""}',
  );
});

it('says the same with every value as the text it was', () => {
  const records = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 8 });
  fc.assert(
    fc.property(records, fc.constantFrom('json', 'text'), (record, kind) => {
      const columns = Object.keys(record).map((name) => column(name, kind as PlainType));
      const line = JSON.stringify(record);
      const read = JSON.parse(exact(line, ...columns)) as Record<string, string | null>;
      const expected = Object.entries(record).map(([name, value]) => {
        const asIs = value === null || (kind === 'text' && typeof value === 'string');
        return [name, asIs ? value : JSON.stringify(value)];
      });
      expect(Object.entries(read)).toEqual(expected);
    }),
  );
});

describe('lines', () => {
  const through = async (chunks: string[], columns: Column[]): Promise<string> => {
    async function* given(): AsyncGenerator<Buffer> {
      for (const chunk of chunks) yield Buffer.from(chunk);
    }
    const lines = exactLines(given(), columns);
    const out: Buffer[] = [];
    for await (const chunk of lines.chunks) out.push(chunk);
    const text = Buffer.concat(out).toString();
    const longest = Math.max(...text.split('\n').map((line) => Buffer.byteLength(line)));
    expect(lines.longest()).toBeGreaterThanOrEqual(longest);
    return text;
  };

  it('are looked into where digits could be lost', async () => {
    const plain = '{"a":12345678901234567890}\n';
    expect(await through([plain, '{"a":1}\n{"a":1.0}\n'], [column('a', 'numeric')])).toBe(
      `${plain}{"a":"1"}\n{"a":"1.0"}\n`,
    );
  });

  it('always are where a column is JSON', async () => {
    expect(await through(['{"a":"x"}\n'], [column('a', 'json')])).toBe('{"a":"\\"x\\""}\n');
  });
});
