/** Rows off the wire as csv, and csv as what a statement takes: nothing is lost in either. */
import fc from 'fast-check';
import { makeCsvRows } from '../../../connectors/mysql/csvRows.js';
import { makeLoadText, utcText } from '../../../connectors/mysql/loadText.js';
import type { RowDialect } from '../../../connectors/mysql/loadText.js';
import { makePackets } from '../../../connectors/mysql/packets.js';
import { parseCsv } from '../postgres/sourceTesting.js';

type Rows = (string | null)[][];

const odd = fc.string({
  unit: fc.constantFrom('a', '"', ',', '\n', '\r', '\\', '\t', '\0', 'N', 'ü', '🎉', "'"),
  maxLength: 80,
});
const table = fc
  .integer({ min: 1, max: 5 })
  .chain((width) =>
    fc.array(fc.array(fc.option(odd), { minLength: width, maxLength: width }), { maxLength: 20 }),
  );

/** In pieces of the given sizes, over and over. */
const pieces = (bytes: Buffer, sizes: readonly number[]): Buffer[] => {
  const parts: Buffer[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    parts.push(bytes.subarray(at, at + size));
    at += size;
  }
  return parts;
};

const sizes = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 5 });

const lengthOf = (bytes: number): Buffer => {
  if (bytes < 251) return Buffer.from([bytes]);
  const isLong = bytes >= 0x1000000;
  const length = Buffer.alloc(isLong ? 9 : 4);
  length[0] = isLong ? 0xfe : 0xfd;
  length.writeUIntLE(bytes, 1, isLong ? 6 : 3);
  return length;
};

/** As the server sends a row. */
const packetsOf = (row: Rows[number]): Buffer => {
  const payload = Buffer.concat(
    row.flatMap((value) => {
      if (value === null) return [Buffer.from([0xfb])];
      const bytes = Buffer.from(value);
      return [lengthOf(bytes.length), bytes];
    }),
  );
  const parts: Buffer[] = [];
  for (let at = 0; ; at += 0xffffff) {
    const part = payload.subarray(at, at + 0xffffff);
    const header = Buffer.alloc(4);
    header.writeUIntLE(part.length, 0, 3);
    parts.push(header, part);
    if (part.length < 0xffffff) return Buffer.concat(parts);
  }
};

const readOff = (chunks: readonly Buffer[], width: number, most: number) => {
  const csv: Buffer[] = [];
  const skipped: number[] = [];
  const rows = makeCsvRows(Array<'text'>(width).fill('text'), (chunk) => csv.push(chunk));
  let bytes = 0;
  const push = makePackets(most, {
    onPacket: (buffer, from, to) => (bytes += rows.row(buffer, from, to)),
    onTooLarge: (size) => skipped.push(size),
  });
  for (const chunk of chunks) push(chunk);
  rows.flush();
  const all = Buffer.concat(csv);
  expect(all.length).toBe(bytes);
  return { csv: all, skipped };
};

it('reads every row off the wire, in whatever pieces it comes', () => {
  fc.assert(
    fc.property(table, sizes, (rows, cut) => {
      const chunks = pieces(Buffer.concat(rows.map(packetsOf)), cut);
      const { csv } = readOff(chunks, rows[0]?.length ?? 1, 1_000_000);
      expect(parseCsv(csv.toString())).toEqual(rows);
    }),
  );
});

it('skips rows that are too large, and reads those between them', () => {
  const large = 'x'.repeat(40_000_000);
  const middle = 'y'.repeat(17_000_000);
  const wire = Buffer.concat([['a'], [large], [middle], [large], ['b']].map(packetsOf));
  for (const size of [65_536, 0xffffff + 4, wire.length]) {
    const { csv, skipped } = readOff(pieces(wire, [size]), 1, 20_000_000);
    expect(csv.equals(Buffer.from(`"a"\n"${middle}"\n"b"\n`))).toBe(true);
    expect(skipped).toEqual([40_000_009, 40_000_009]);
  }
});

const dialect: RowDialect = {
  beforeRow: '',
  afterRow: '\n',
  between: '\t',
  null: '\\N',
  value: ['', ''],
  bytes: ['', ''],
  bits: ['', ''],
  escapes: { '\\': '\\', '\t': 't', '\n': 'n', '\0': '0' },
};

/** As LOAD DATA reads a field. */
const fieldOf = (text: string): string | null =>
  text === '\\N'
    ? null
    : text.replace(/\\([\s\S])/g, (_, letter: string) => {
        const letters: Record<string, string> = { t: '\t', n: '\n', '0': '\0' };
        return letters[letter] ?? letter;
      });

const csvOf = (rows: Rows, quoteAll: boolean): string =>
  rows
    .map((row) => {
      const fields = row.map((value) => {
        if (value === null) return '';
        const isPlain = !quoteAll && value !== '' && !/[",\n\r]/.test(value);
        return isPlain ? value : `"${value.replaceAll('"', '""')}"`;
      });
      return `${fields.join(',')}\n`;
    })
    .join('');

it('writes csv anew, as a statement takes it, without the columns that have no place', () => {
  fc.assert(
    fc.property(table, sizes, fc.boolean(), fc.nat(5), (rows, cut, quoteAll, skip) => {
      const width = rows[0]?.length ?? 1;
      const skipped = width > 1 && skip < width ? skip : -1;
      const out: Buffer[] = [];
      let count = 0;
      const conversions = Array.from({ length: width }, (_, at) =>
        at === skipped ? ('skip' as const) : undefined,
      );
      const text = makeLoadText(conversions, dialect, (chunk, some) => {
        out.push(chunk);
        count += some;
      });
      for (const piece of pieces(Buffer.from(csvOf(rows, quoteAll)), cut)) text.push(piece);
      text.flush();
      const lines = Buffer.concat(out).toString().split('\n').slice(0, -1);
      expect(count).toBe(rows.length);
      expect(lines.map((line) => line.split('\t').map(fieldOf))).toEqual(
        rows.map((row) => row.filter((_, at) => at !== skipped)),
      );
    }),
  );
});

it('writes what a column takes another form of', () => {
  const out: Buffer[] = [];
  const text = makeLoadText(['boolean', 'moment', 'bytes'], dialect, (chunk) => out.push(chunk));
  text.push(
    Buffer.from('t,2024-01-01 00:30:00.5+00,\\xab01\nfalse,2024-01-01T00:30:00+01:00,"\\x"\n'),
  );
  text.push(Buffer.from('maybe,infinity,ab\n,,\n'));
  text.flush();
  expect(Buffer.concat(out).toString()).toBe(
    '1\t2024-01-01 00:30:00.5\tab01\n0\t2023-12-31 23:30:00\t\nmaybe\tinfinity\tzz\n\\N\\t\\N\\t\\N\n'.replaceAll(
      '\\t',
      '\t',
    ),
  );
});

it.each([
  ['2024-06-01 12:00:00+05:30', '2024-06-01 06:30:00'],
  ['2024-06-01 12:00:00.123456-03', '2024-06-01 15:00:00.123456'],
  ['2024-06-01 12:00:00Z', '2024-06-01 12:00:00'],
  ['0044-03-15 00:00:00+00 BC', '0044-03-15 00:00:00+00 BC'],
])('has %s in UTC', (moment, utc) => {
  expect(utcText(moment)).toBe(utc);
});
