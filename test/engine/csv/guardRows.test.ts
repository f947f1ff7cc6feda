import fc from 'fast-check';
import { bulkDialect } from '../../../engine/csv/dialect.js';
import { guardRows, withoutMark } from '../../../engine/csv/guardRows.js';
import type { GuardOptions } from '../../../engine/csv/guardRows.js';
import { splitPoints } from '../../../engine/csv/splitPoints.js';

/** The text in chunks of the given lengths, over and over. */
async function* cut(bytes: Buffer, lengths: readonly number[]): AsyncGenerator<Buffer> {
  let turn = 0;
  for (let at = 0; at < bytes.length; turn++) {
    const length = lengths[turn % lengths.length] ?? 1;
    yield bytes.subarray(at, at + length);
    at += length;
  }
}

const guard = async (
  bytes: Buffer,
  lengths: readonly number[],
  options: Partial<GuardOptions> = {},
): Promise<{ text: string; rows: number; bad: [number, string][] }> => {
  const full = { maxRowBytes: 1000, dialect: bulkDialect, ...options };
  const guarded = guardRows(cut(bytes, lengths), full);
  const chunks: Buffer[] = [];
  for await (const chunk of guarded.chunks) chunks.push(chunk);
  const text = Buffer.concat(chunks);
  expect(guarded.counts().bytes).toBe(text.length);
  return {
    text: text.toString(),
    rows: guarded.counts().rows,
    bad: guarded.rejected().map(({ row, code }) => [row, code]),
  };
};

interface Row {
  text: string;
  good: boolean;
}

/** What the grammar says, one character at a time and with no care for speed. */
const naive = (text: string, fields: number): Row[] => {
  const rows: Row[] = [];
  let at = 0;
  while (at < text.length) {
    const start = at;
    let good = true;
    let count = 0;
    for (;;) {
      count += 1;
      if (text[at] === '"' && good) {
        at += 1;
        while (at < text.length && (text[at] !== '"' || text[at + 1] === '"')) {
          at += text[at] === '"' ? 2 : 1;
        }
        if (at >= text.length) good = false;
        at += 1;
        const after = text.slice(at);
        if (good && !/^(,|\r?\n|$)/.test(after)) good = false;
      }
      while (at < text.length && text[at] !== '\n' && !(good && text[at] === ',')) {
        const character = text[at] ?? '';
        if (character === '"') good = false;
        if (character === '\r' && text[at + 1] !== '\n') good = false;
        at += 1;
      }
      if (text[at] !== ',') break;
      at += 1;
    }
    const whole = text.slice(start, at);
    const row = at < text.length ? whole.replace(/\r$/, '') : whole;
    at += 1;
    if (row === '' && fields !== 1) continue;
    rows.push({ text: row === '\\.' ? '"\\."' : row, good: good && count === fields });
  }
  return rows;
};

const piece = fc.constantFrom(
  'a',
  'é',
  ',',
  ',',
  '"',
  '"',
  '""',
  '\n',
  '\n',
  '\r\n',
  '\r',
  '\\.',
  '😀',
);
const anyText = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));
const lengths = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 5 });

it('passes what a slow parser passes, wherever chunks end', async () => {
  await fc.assert(
    fc.asyncProperty(
      anyText,
      lengths,
      fc.integer({ min: 1, max: 3 }),
      async (text, sizes, fields) => {
        const expected = naive(text, fields);
        const good = expected.filter((row) => row.good).map((row) => `${row.text}\n`);
        const found = await guard(Buffer.from(text), sizes, { fields });
        expect(found.text).toBe(good.join(''));
        expect(found.rows).toBe(good.length);
        const bad = expected.flatMap((row, index) => (row.good ? [] : [index]));
        expect(found.bad.map(([row]) => row)).toEqual(bad);
      },
    ),
    { numRuns: 2000 },
  );
});

const field = fc.oneof(
  fc.constantFrom('', '""', 'x', '"\n"', '"a,""b"', '"\r\n"', '"\r"'),
  fc.stringMatching(/^[a-z]{0,8}$/),
);
const wellFormed = fc
  .array(fc.tuple(field, field, field), { maxLength: 30 })
  .map((rows) => rows.map((fields) => `${fields.join(',')}\n`));

it('leaves well-formed rows as they are', async () => {
  await fc.assert(
    fc.asyncProperty(wellFormed, lengths, async (rows, sizes) => {
      const found = await guard(Buffer.from(rows.join('')), sizes, { fields: 3 });
      expect(found).toEqual({ text: rows.join(''), rows: rows.length, bad: [] });
    }),
  );
});

it('cuts only where rows begin, and loses nothing', async () => {
  await fc.assert(
    fc.asyncProperty(
      wellFormed,
      lengths,
      fc.integer({ min: 1, max: 60 }),
      async (rows, sizes, target) => {
        const bytes = Buffer.from(rows.join(''));
        const starts = new Set<number>();
        let next = 0;
        for (const row of rows) {
          starts.add(next);
          next += Buffer.byteLength(row);
        }
        const points = await splitPoints(cut(bytes, sizes), target, bulkDialect);
        for (const point of points) expect(starts.has(point)).toBe(true);
        const ends = [...points, bytes.length];
        const parts = [0, ...points].map((from, index) => bytes.subarray(from, ends[index]));
        expect(Buffer.concat(parts).equals(bytes)).toBe(true);
        // Each part but the last is long enough, and would not be without its last row.
        for (const part of parts.slice(0, -1)) expect(part.length).toBeGreaterThanOrEqual(target);
      },
    ),
  );
});

it('leaves out a header, and counts places behind it', async () => {
  const found = await guard(Buffer.from('"a\n",b\n1,2\n3\n5,6'), [4], { fields: 2, skipRows: 1 });
  expect(found).toEqual({ text: '1,2\n5,6\n', rows: 2, bad: [[1, 'malformed']] });
});

it('keeps rows aside that are not UTF-8, or hold NUL', async () => {
  const bytes = Buffer.from('a\nb\xff\nc\0\nd\n', 'latin1');
  for (const size of [1, 3, 100]) {
    const { text, bad } = await guard(bytes, [size], { fields: 1 });
    expect(text).toBe('a\nd\n');
    expect(bad.map(([row]) => row)).toEqual([1, 2]);
  }
});

it('knows another escape than a doubled quote', async () => {
  const dialect = { delimiter: ';', quote: "'", escape: '\\' };
  const text = "'a\\'\n;';b\n'c\\\\';d\n";
  const found = await guard(Buffer.from(text), [3], { dialect, fields: 2 });
  expect(found).toEqual({ text, rows: 2, bad: [] });
});

it('lets rows go that are too large, at their limit and beyond', async () => {
  const rows = `${'x'.repeat(9)}\n${'y'.repeat(10)}\nz\n`;
  for (const size of [1, 4, 100]) {
    const found = await guard(Buffer.from(rows), [size], { maxRowBytes: 10, fields: 1 });
    expect(found).toEqual({ text: `${'x'.repeat(9)}\nz\n`, rows: 2, bad: [[1, 'row_too_large']] });
  }
});

it('needs no memory for a value of 1 GiB', async () => {
  const chunk = Buffer.alloc(256 * 1024, 'x');
  async function* huge(): AsyncGenerator<Buffer> {
    yield Buffer.from('1,a\n2,"');
    for (let count = 0; count < 4096; count++) yield chunk;
    yield Buffer.from('"\n3,b\n');
  }
  const before = process.memoryUsage().rss;
  let highest = 0;
  const watched = async function* watched(): AsyncGenerator<Buffer> {
    for await (const one of huge()) {
      highest = Math.max(highest, process.memoryUsage().rss - before);
      yield one;
    }
  };
  const maxRowBytes = 16 * 1024 * 1024;
  const guarded = guardRows(watched(), { maxRowBytes, dialect: bulkDialect, fields: 2 });
  const texts: string[] = [];
  for await (const one of guarded.chunks) texts.push(one.toString());
  expect(texts.join('')).toBe('1,a\n3,b\n');
  expect(guarded.rejected()).toMatchObject([{ row: 1, code: 'row_too_large' }]);
  expect(highest).toBeLessThan(256 * 1024 * 1024);
});

it('gives up on a file that is something else', async () => {
  const bytes = Buffer.from('x\n'.repeat(100_001));
  await expect(guard(bytes, [65_536], { fields: 2 })).rejects.toThrow('check the delimiter');
});

it.each([
  [[1], '\ufeffab', 'ab'],
  [[2], '\ufeff', ''],
  [[3], '\ufeff\ufeffa', '\ufeffa'],
  [[1], 'a', 'a'],
  [[1], '', ''],
])('takes a byte order mark off, in chunks of %j', async (sizes, text, expected) => {
  const chunks: Buffer[] = [];
  for await (const chunk of withoutMark(cut(Buffer.from(text), sizes))) chunks.push(chunk);
  expect(Buffer.concat(chunks).toString()).toBe(expected);
});
