import fc from 'fast-check';
import type { SplitRange } from '../../../connectors/connector.js';
import { makeOfUnproven } from '../../../engine/duckInPlace.js';
import { asSplitRange, fileRangeOf } from '../../../engine/files/fileRange.js';
import type { SourceFilesConfig } from '../../../core/nodes/sourceFiles.js';
import { context, makeFilesFixture, readRelation } from './filesFixture.js';
import type { FilesFixture } from './filesFixture.js';

let files: FilesFixture;

beforeAll(async () => {
  files = await makeFilesFixture();
});

afterAll(() => files.close());

type Config = Omit<SourceFilesConfig, 'connectionId'>;
type Rows = readonly (readonly unknown[])[];

const requestOf = (config: Config) => ({
  config: { connectionId: '0197f5f6-0000-7000-8000-000000000000', ...config },
});

const rangesOf = async (config: Config, targetBytes = 4): Promise<readonly SplitRange[]> => {
  const options = { targetBytes, consistency: 'per_row' as const, uncut: true };
  return (await files.source.splits(requestOf(config), options, context())).ranges;
};

/** As if its beginning had said nothing against it. */
const taken = (range: SplitRange): SplitRange => {
  const { files: parts, ...rest } = fileRangeOf(range);
  return asSplitRange({
    ...rest,
    files: parts.map(({ key, etag, bytes }) => ({ key, etag, bytes, plain: true })),
  });
};

/** The rows as DuckDB reads them by itself; undefined where they are not to be believed. */
const inPlace = async (
  range: SplitRange,
  meanwhile: () => Promise<void> = () => Promise.resolve(),
): Promise<Rows | undefined> => {
  const unproven = await files.source.unproven?.(requestOf({ path: 'unused' }), range, context());
  if (!unproven) return undefined;
  const { reads, sql, bytes } = unproven;
  const directory = await files.scratch('test');
  const frame = { nodeId: 'source', fromSource: true, view: '', columns: [], kept: [] };
  const input = { ...frame, select: sql, reads, bytes, rows: 0, unproven };
  const program = { directory: directory.path, reads, statements: [{ sql }], threads: 2 };
  const result = await makeOfUnproven(
    input,
    async ({ signal }) => {
      const [answer] = await files.duckdb.run(program, signal);
      await meanwhile();
      return answer?.rows ?? [];
    },
    context(),
  );
  await directory.remove();
  if (result) expect(result.made.length).toBe(result.rows);
  return result?.made;
};

const odd = fc.constantFrom(
  ...['', '""', '""""', '"a""b"', '"x\ny"', '"x\r\ny"', '"a,b"', '"a;b"', ' "x"', '"x" ', 'a"b'],
  ...['"a"b', '"open', '\\"', '"\\""', '\\N', 'NULL', '"NULL"', '\r', '\0', '\ufeff', 'ä', '"😀"'],
  ...['007', '1,5', '1.50', '-0', '1e3', 'NaN', '+1', 't', 'TRUE', '2024-02-29', '01/02/2024'],
  ...['2024-01-01T10:00:00Z', '24:00', '99999999999999999999', '#c', "'q'", '\\.', ' ', '\t'],
);
const usual = fc.oneof(
  fc.stringMatching(/^[a-z0-9]{1,8}$/),
  fc.constantFrom('', '""', '"a""b"', '"x y"', 'ä', '"[1, ""b""]"', '2024-01-01'),
);
/** Mostly the first one, so that there is enough that is believed. */
const mostly = <Value>(common: Value, ...rare: readonly Value[]): fc.Arbitrary<Value> =>
  fc.oneof(
    { weight: 12, arbitrary: fc.constant(common) },
    { weight: 1, arbitrary: fc.constantFrom(...rare) },
  );
const lineEnds = mostly('\n', '\r\n', '\n\n', '\r', ',\n', ';\n', ',,\n');
const seldomOdd = fc.oneof({ weight: 15, arbitrary: usual }, { weight: 1, arbitrary: odd });

const document = fc
  .record({
    width: mostly(3, 1, 2, 4),
    delimiter: fc.constantFrom(',', ';', '\t', '|'),
    field: mostly(usual, seldomOdd, seldomOdd, odd),
    ends: mostly(fc.constant('\n'), lineEnds),
    names: mostly(['a', 'b', 'c', 'd'], ['a', 'A', '', 'a'], ['ä', '😀', '"x ""y"""', 'b'], ['a']),
    mark: mostly('', '\ufeff'),
    last: fc.constantFrom('', '', '', '\n', 'x'),
    ragged: mostly(0, 1, -1),
  })
  .chain(({ width, delimiter, field, ends, names, mark, last, ragged }) => {
    const row = fc.array(field, { minLength: width, maxLength: width });
    const other = fc.array(field, { minLength: 1, maxLength: Math.max(1, width + ragged) });
    const any = ragged === 0 ? row : fc.oneof({ weight: 9, arbitrary: row }, other);
    const header = `${mark}${names.slice(0, width).join(delimiter)}\n`;
    return fc
      .array(fc.tuple(any, ends), { minLength: 1, maxLength: 12 })
      .map((rows) => rows.map(([fields, end]) => `${fields.join(delimiter)}${end}`).join(''))
      .map((text) => ({ delimiter, text: `${header}${text}${last}` }));
  });

const options = fc.record({
  header: mostly(true, false),
  quote: mostly('"', "'", ''),
  escape: mostly('"', '\\'),
  nullString: fc.constantFrom('', 'NULL', '\\N'),
});

it('reads in place what it would read row by row, or nothing', async () => {
  let believed = 0;
  let doubted = 0;
  await fc.assert(
    fc.asyncProperty(document, options, async ({ delimiter, text }, given) => {
      await files.put('odd.csv', text);
      const config: Config = { path: 'odd.csv', options: { ...given, delimiter } };
      const [range] = await rangesOf(config).catch(() => []);
      if (!range) return;
      const rows = await inPlace(taken(range));
      if (rows) believed += 1;
      else doubted += 1;
      if (!rows) return;
      const careful = await readRelation(files, range);
      expect({ rows, rejected: [] }).toEqual(careful);
    }),
    { numRuns: 150 },
  );
  expect(believed).toBeGreaterThan(15);
  expect(doubted).toBeGreaterThan(15);
}, 120_000);

const plain = `id,name\n${Array.from({ length: 50 }, (_, n) => `${n},"name, ""${n}"""\n`).join('')}`;

it.each([
  ['a row with too many fields', '7,x,\n'],
  ['a row with too few fields', '7\n'],
  ['a carriage return', '7,x\r\n'],
  ['a blank line', '\n'],
  ['a quote in a field without quotes', '7,x"y\n'],
  ['a blank before a quote', '7, "x"\n'],
  ['a line end within quotes', '7,"x\ny"\n'],
  ['a NUL', '7,\0\n'],
  ['bytes that are no text', Buffer.from([0x37, 0x2c, 0xff, 0x0a])],
  ['a line that is longer than usual', `7,${'x'.repeat(2 * 1024 * 1024)}\n`],
])('believes nothing where there is %s', async (_, line) => {
  await files.put('doubt.csv', plain);
  const [good] = await rangesOf({ path: 'doubt.csv' });
  expect(await inPlace(good ?? {})).toHaveLength(50);
  await files.put('doubt.csv', Buffer.concat([Buffer.from(plain), Buffer.from(line)]));
  const [bad] = await rangesOf({ path: 'doubt.csv', options: { columns } });
  expect(await inPlace(taken(bad ?? {}))).toBeUndefined();
});

const columns = [
  { name: 'id', type: 'text' },
  { name: 'name', type: 'text' },
];

it('believes nothing of a file that changes while it is read', async () => {
  await files.put('drift.csv', plain);
  const [range] = await rangesOf({ path: 'drift.csv' });
  const change = () => files.put('drift.csv', `${plain}50,x\n`);
  expect(await inPlace(range ?? {}, change)).toBeUndefined();
  await expect(inPlace(range ?? {})).rejects.toMatchObject({ failure: { code: 'schema_drift' } });
});

it('leaves a file uncut where it begins plainly, and puts it with no other', async () => {
  await files.put('uncut/a.csv', plain);
  await files.put('uncut/b.csv', plain.replaceAll('\n', '\r\n'));
  await files.put('uncut/c.csv', plain);
  const ranges = (await rangesOf({ path: 'uncut/*.csv' }, 2000)).map(fileRangeOf);
  expect(ranges.map(({ files: parts }) => parts.map(({ key, plain: so }) => [key, so]))).toEqual([
    [['uncut/a.csv', true]],
    [['uncut/b.csv', undefined]],
    [['uncut/c.csv', true]],
  ]);
  expect(ranges.map(({ splits }) => splits)).toEqual([3, 3, 3]);
});
