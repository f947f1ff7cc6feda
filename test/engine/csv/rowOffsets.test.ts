import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Column } from '../../../connectors/connector.js';
import { spooledRows } from '../../../engine/csv/rowOffsets.js';

const columns: readonly Column[] = [{ name: 'a', type: { kind: 'text' }, nullable: true }];

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'offsets-'));
});

afterAll(() => rm(directory, { recursive: true }));

it('reads any rows of a file, those of a single NULL too', async () => {
  const rows = Array.from({ length: 20_000 }, (_, index) =>
    index % 3 === 0 ? '\n' : index % 3 === 1 ? `"${index}\n"\n` : `${'x'.repeat(index % 50)}y\n`,
  );
  const path = join(directory, 'rows.csv');
  await writeFile(path, rows.join(''));
  const spooled = await spooledRows(path, columns, new AbortController().signal);
  expect(spooled.count).toBe(rows.length);
  for (const [from, to] of [
    [0, 1],
    [0, 20_000],
    [19_999, 20_000],
    [777, 1234],
    [5, 5],
    [20_000, 20_001],
  ] as const) {
    const chunks: Buffer[] = [];
    for await (const chunk of spooled.read(from, to)) chunks.push(chunk);
    expect(Buffer.concat(chunks).toString()).toBe(rows.slice(from, to).join(''));
  }
});

it('stops when it is told to', async () => {
  const path = join(directory, 'stop.csv');
  await writeFile(path, 'a\n');
  const reason = new Error('stop');
  await expect(spooledRows(path, columns, AbortSignal.abort(reason))).rejects.toBe(reason);
});
