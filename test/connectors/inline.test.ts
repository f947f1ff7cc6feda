import { RunFailure } from '../../core/failures.js';
import type { Source } from '../../connectors/connector.js';
import { columnsOf, context, openSource, readAll, readOf, readSplits, rows } from './sources.js';

const config = {
  columns: [
    { name: 'id', type: 'integer' },
    { name: 'name', type: 'text' },
    { name: 'price', type: 'decimal(6,2)' },
  ],
  rows: [
    [1, 'Ada', 9.5],
    [2, '', '0.10'],
    [3, null, null],
    [4, 'x,"y"\nz', 1],
  ],
};
const lines = ['1,Ada,9.5\n', '2,"",0.10\n', '3,,\n', '4,"x,""y""\nz",1\n'];
let source: Source;

beforeAll(async () => {
  source = await openSource('inline');
});

it('has the columns that are written down, each of which may be NULL', async () => {
  expect(await columnsOf(source, config)).toEqual([
    { name: 'id', type: { kind: 'integer' }, nullable: true },
    { name: 'name', type: { kind: 'text' }, nullable: true },
    { name: 'price', type: { kind: 'decimal', precision: 6, scale: 2 }, nullable: true },
  ]);
});

it('is one split of all rows', async () => {
  expect(await readSplits(source, config)).toEqual([lines.join('')]);
  expect(await readSplits(source, { ...config, rows: [] })).toEqual(['']);
});

it('counts what it sent, in bytes of UTF-8', async () => {
  const one = { columns: [{ name: 'x', type: 'text' }], rows: [['ä'], ['😀']] };
  const read = readOf(source, one, rows(0, 2));
  expect((await readAll(read)).text).toBe('ä\n😀\n');
  expect(read.counts()).toEqual({ rows: 2, bytes: 8 });
});

it('sends long rows in chunks', async () => {
  const long = { columns: [{ name: 'x', type: 'text' }], rows: [] as string[][] };
  for (let at = 0; at < 100; at++) long.rows.push(['x'.repeat(10_000)]);
  const read = readOf(source, long, rows(0, 100));
  expect((await readAll(read)).chunks).toBe(Math.ceil((100 * 10_001) / (7 * 10_001)));
  expect(read.counts()).toEqual({ rows: 100, bytes: 1_000_100 });
});

it('names row and column of a value that no longer fits', async () => {
  const broken = { ...config, rows: [...config.rows, ['five', 'x', 1]] };
  const reading = readAll(readOf(source, broken, rows(0, 5)));
  await expect(reading).rejects.toThrow('Row 5, column id: not a integer.');
  await expect(readAll(readOf(source, broken, rows(0, 5)))).rejects.toBeInstanceOf(RunFailure);
});

it('stops with the reason of the abort', async () => {
  const reason = new Error('stop');
  const read = readOf(source, config, rows(0, 4), context(AbortSignal.abort(reason)));
  await expect(readAll(read)).rejects.toBe(reason);
  expect(read.counts().rows).toBe(0);
});
