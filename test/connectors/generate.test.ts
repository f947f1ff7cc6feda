import type { Source } from '../../connectors/connector.js';
import { allColumns } from '../core/generate/columns.js';
import { parseCsv } from '../core/generate/parseCsv.js';
import { columnsOf, context, openSource, readAll, readOf, rows, splitsOf } from './sources.js';

const MiB = 1024 * 1024;
const config = { rows: 20_000, seed: 7, columns: allColumns };
let source: Source;

beforeAll(async () => {
  source = await openSource('generate');
});

it('names its columns with types that say which may be NULL', async () => {
  const columns = await columnsOf(source, config);
  expect(columns.map(({ name }) => name)).toEqual(allColumns.map(({ name }) => name));
  expect(columns.find(({ name }) => name === 'amount')).toEqual({
    name: 'amount',
    type: { kind: 'decimal', precision: 6, scale: 2 },
    nullable: false,
  });
  expect(columns.find(({ name }) => name === 'sparse')?.nullable).toBe(true);
});

it('reads a split as chunks and counts what it sent', async () => {
  const read = readOf(source, config, rows(100, 5_100));
  expect(read.counts()).toEqual({ rows: 0, bytes: 0 });
  const { text, chunks } = await readAll(read);
  expect(chunks).toBeGreaterThan(5);
  expect(read.counts()).toEqual({ rows: 5_000, bytes: Buffer.byteLength(text) });
  expect(parseCsv(text)).toHaveLength(5_000);
  expect(read.columns).toEqual(await columnsOf(source, config));
});

it('reads the same rows whole and in parts, by default with seed 1', async () => {
  const part = async (from: number, to: number, seed = {}) =>
    (await readAll(readOf(source, { ...config, ...seed }, rows(from, to)))).text;
  expect((await part(0, 700)) + (await part(700, 2_000))).toBe(await part(0, 2_000));
  const { rows: count, columns } = config;
  const unseeded = readOf(source, { rows: count, columns }, rows(0, 50));
  expect((await readAll(unseeded)).text).toBe(await part(0, 50, { seed: 1 }));
  expect(await part(0, 50)).not.toBe(await part(0, 50, { seed: 1 }));
});

it('splits by measured size: about the target each, all rows, one even for none', async () => {
  const wide = { name: 't', generator: 'text', minWords: 100, maxWords: 100 };
  const large = { rows: 1_000_000, columns: [wide] };
  const splits = await splitsOf(source, large, 64 * MiB);
  const sample = await readAll(readOf(source, large, rows(0, 1_000)));
  const bytes = Buffer.byteLength(sample.text) * 1_000;
  expect(splits.length).toBeGreaterThanOrEqual(Math.floor(bytes / (70 * MiB)));
  expect(splits.length).toBeLessThanOrEqual(Math.ceil(bytes / (58 * MiB)));
  expect([splits[0]?.['from'], splits.at(-1)?.['to']]).toEqual([0, 1_000_000]);
  expect(await splitsOf(source, { ...config, rows: 0 }, MiB)).toEqual([rows(0, 0)]);
});

it('measures rows of any width quickly', async () => {
  const columns = Array.from({ length: 1_000 }, (_, at) => ({
    name: `t${at}`,
    generator: 'text',
    minWords: 1_000,
    maxWords: 1_000,
  }));
  const began = performance.now();
  const splits = await splitsOf(source, { rows: 100, columns }, 64 * MiB);
  expect(performance.now() - began).toBeLessThan(10_000);
  // About 6 MB each.
  expect(splits.length).toBeGreaterThan(8);
  expect(splits.length).toBeLessThan(13);
});

it('reads nothing of an empty split', async () => {
  const read = readOf(source, config, rows(0, 0));
  expect(await readAll(read)).toEqual({ text: '', chunks: 0 });
  expect(read.counts()).toEqual({ rows: 0, bytes: 0 });
});

it('stops with the reason of the abort, in the middle of a split', async () => {
  const abort = new AbortController();
  const reason = new Error('stop');
  const read = readOf(source, { ...config, rows: 1e9 }, rows(0, 1e9), context(abort.signal));
  const reading = (async () => {
    for await (const chunk of read.chunks) if (chunk.length > 0) abort.abort(reason);
  })();
  await expect(reading).rejects.toBe(reason);
  expect(read.counts().rows).toBeLessThan(5_000);
});

it('lets timers and signals through while it is read as fast as can be', async () => {
  const read = readOf(source, { ...config, rows: 1e9 }, rows(0, 1e9));
  const timer = new AbortController();
  setTimeout(() => timer.abort(), 5);
  let chunks = 0;
  for await (const chunk of read.chunks) {
    chunks += Math.sign(chunk.length);
    if (timer.signal.aborted || chunks === 2_000) break;
  }
  expect(timer.signal.aborted).toBe(true);
});
