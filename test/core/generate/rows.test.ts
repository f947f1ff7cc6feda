import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { columnOf } from '../../../core/generate/columnType.js';
import type { GeneratedColumn } from '../../../core/generate/columns.js';
import { inlineField } from '../../../core/generate/inlineField.js';
import { generateCsv } from '../../../core/generate/rows.js';
import { allColumns } from './columns.js';
import { parseCsv } from './parseCsv.js';

const csv = (columns: readonly GeneratedColumn[], seed: number, from: number, to: number): string =>
  Array.from(generateCsv(columns, seed, from, to), ({ text }) => text).join('');

const valuesOf = (column: GeneratedColumn, count = 4_000, seed = 1): (string | null)[] =>
  parseCsv(csv([column], seed, 0, count)).map(([value = null]) => value);

const column = (name: string): GeneratedColumn => {
  const found = allColumns.find((candidate) => candidate.name === name);
  if (!found) throw new Error(`no column ${name}`);
  return found;
};

const share = (values: readonly unknown[], wanted: unknown): number =>
  values.filter((value) => value === wanted).length / values.length;

describe('ranges', () => {
  const whole = csv(allColumns, 3, 0, 400).split('\n');

  it('make the same rows wherever they begin and end', () => {
    fc.assert(
      fc.property(fc.nat(400), fc.nat(400), (a, b) => {
        const [from, to] = [Math.min(a, b), Math.max(a, b)];
        const part = whole.slice(from, to).map((line) => `${line}\n`);
        expect(csv(allColumns, 3, from, to)).toBe(part.join(''));
      }),
    );
  });

  it('are chunks of about 64 KiB that count their rows', () => {
    const chunks = [...generateCsv(allColumns, 3, 100, 10_100)];
    expect(chunks.length).toBeGreaterThan(10);
    for (const { text, rows } of chunks) {
      expect(text.endsWith('\n')).toBe(true);
      expect(parseCsv(text)).toHaveLength(rows);
    }
    for (const { text } of chunks.slice(0, -1)) {
      expect(text.length).toBeGreaterThanOrEqual(65_536);
      expect(text.length).toBeLessThan(67_000);
    }
    expect(chunks.reduce((sum, { rows }) => sum + rows, 0)).toBe(10_000);
  });

  it('may be empty, or beyond 2^32', () => {
    expect(csv(allColumns, 1, 5, 5)).toBe('');
    const far = 10 ** 12 - 2;
    const sequence: GeneratedColumn = { name: 'n', generator: 'sequence', step: 1_000 };
    expect(csv([sequence], 1, far, far + 2)).toBe(`${far * 1000 + 1}\n${(far + 1) * 1000 + 1}\n`);
    const uuid: GeneratedColumn = { name: 'u', generator: 'uuid' };
    const near = far % 2 ** 32;
    expect(csv([uuid], 1, far, far + 1)).not.toBe(csv([uuid], 1, near, near + 1));
  });
});

it('makes what an older version made of the same seed', () => {
  // A retry reads splits again, maybe on a newer worker: if this changes, so do users' rows.
  const digest = createHash('sha256')
    .update(csv(allColumns, 42, 0, 1_000))
    .digest('hex');
  expect(digest).toBe('6f7bddca23fddc5ecae443b6c565ec8ce0057aad5b7e0e54b6b310c3167c4b4e');
});

it('makes other rows of another seed, and unlike columns side by side', () => {
  const uuid: GeneratedColumn = { name: 'a', generator: 'uuid' };
  const [one, other] = [valuesOf(uuid, 100, 1), valuesOf(uuid, 100, 2)];
  expect(new Set([...one, ...other]).size).toBe(200);
  for (const row of parseCsv(csv([uuid, { ...uuid, name: 'b' }], 1, 0, 100))) {
    expect(row[0]).not.toBe(row[1]);
  }
});

it.each(allColumns.map((each) => [each.name, each] as const))(
  'writes column %s as its type reads it',
  (_, each) => {
    const { type, nullable } = columnOf(each);
    const values = valuesOf(each, 500);
    expect(values.includes(null)).toBe(nullable);
    for (const value of values) {
      if (value === null) continue;
      // The type's own check reads text, but booleans and JSON only as what they are.
      const plain = type.kind === 'boolean' ? value === 'true' : value;
      const read: unknown = type.kind === 'json' ? JSON.parse(value) : plain;
      expect([value, inlineField(type, read)]).not.toContain(undefined);
    }
  },
);

describe('values', () => {
  it('count in steps', () => {
    expect(valuesOf(column('id'), 4)).toEqual(['10', '7', '4', '1']);
    expect(valuesOf(column('tick'), 3)).toEqual([
      '1969-12-31T23:59:58.500Z',
      '1969-12-31T23:59:59.500Z',
      '1970-01-01T00:00:00.500Z',
    ]);
  });

  it('reach both bounds and stay within', () => {
    expect(new Set(valuesOf(column('small')).map(Number))).toEqual(
      new Set([-5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5]),
    );
    expect(new Set(valuesOf(column('day')))).toEqual(
      new Set(['2024-02-28', '2024-02-29', '2024-03-01']),
    );
    const amounts = valuesOf(column('amount'));
    expect(amounts.every((amount) => /^-?\d\.\d\d$/.test(amount ?? ''))).toBe(true);
    expect(Math.min(...amounts.map(Number))).toBe(-1.1);
    expect(Math.max(...amounts.map(Number))).toBe(0.29);
  });

  it('use odd and even numbers of a range of 53 bits', () => {
    const values = valuesOf(column('wide')).map(Number);
    expect(values.every(Number.isSafeInteger)).toBe(true);
    const odd = values.filter((value) => value % 2 !== 0).length / values.length;
    expect(odd).toBeGreaterThan(0.45);
    expect(odd).toBeLessThan(0.55);
  });

  it('come as often as they should', () => {
    const states = valuesOf(column('state'), 20_000);
    expect(share(states, 'a')).toBeCloseTo(7 / 10.5, 1);
    expect(share(states, '')).toBeCloseTo(2 / 10.5, 1);
    expect(share(states, null)).toBeCloseTo(0.5 / 10.5, 1);
    expect(share(valuesOf(column('flag'), 20_000), 'true')).toBeCloseTo(0.25, 1);
    expect(share(valuesOf(column('sparse'), 20_000), null)).toBeCloseTo(0.3, 1);
  });

  it('never include a choice of weight 0', () => {
    const values = ['never', 'always', 'neither'];
    const only: GeneratedColumn = {
      name: 'x',
      generator: 'choice',
      values,
      weights: [0, 1, 0],
    };
    expect(new Set(valuesOf(only))).toEqual(new Set(['always']));
  });

  it('are addresses of one row each, and uuids of version 4', () => {
    expect(new Set(valuesOf(column('mail'))).size).toBe(4_000);
    const uuids = valuesOf(column('uuid'));
    expect(new Set(uuids).size).toBe(4_000);
    for (const uuid of uuids) {
      expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    }
  });

  it('are spread evenly', () => {
    const digits = valuesOf({ name: 'd', generator: 'integer', min: 0, max: 9 }, 20_000);
    for (let digit = 0; digit < 10; digit++) {
      expect(share(digits, String(digit))).toBeGreaterThan(0.085);
      expect(share(digits, String(digit))).toBeLessThan(0.115);
    }
  });
});
