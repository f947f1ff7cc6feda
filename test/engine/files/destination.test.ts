import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import type { Column, Delivery } from '../../../connectors/connector.js';
import type { DestinationFilesConfig } from '../../../core/nodes/destinationFiles.js';
import { makeFilesDestination } from '../../../engine/files/destination.js';
import type { FilesDestination } from '../../../engine/files/destination.js';
import { makeGlob } from '../../../engine/files/glob.js';
import { columnsOf, context, makeFilesFixture, readAll } from './filesFixture.js';
import type { FilesFixture } from './filesFixture.js';

let files: FilesFixture;
let destination: FilesDestination;

beforeAll(async () => {
  files = await makeFilesFixture();
  destination = makeFilesDestination({ store: files.store });
});

afterAll(() => files.close());

const columns: readonly Column[] = [
  { name: 'id', type: { kind: 'integer' }, nullable: true },
  { name: 'where', type: { kind: 'text' }, nullable: true },
  { name: 'price', type: { kind: 'decimal', precision: 9, scale: 2 }, nullable: true },
];
const sql = `SELECT 1::INTEGER AS id, 'a/b' AS "where", 1.50::DECIMAL(9,2) AS price
  UNION ALL SELECT 2, NULL, NULL`;

const configOf = (more: Partial<DestinationFilesConfig>): DestinationFilesConfig => ({
  connectionId: '0197f5f6-0000-7000-8000-000000000000',
  path: `out-${randomUUID()}`,
  format: 'csv',
  ...more,
});

const deliveryOf = (generation = 1): Delivery => ({
  rootJobId: '0197f5f6-0000-7000-8000-00000000000a',
  stage: 'save/../it',
  generation,
});

/** Writes a split as a worker would. */
const writeSplit = async (
  config: DestinationFilesConfig,
  delivery: Delivery,
  split: number,
  attempt: number,
  select = sql,
): Promise<void> => {
  const scratch = await files.scratch('split');
  const directory = scratch.path;
  const statement = destination.copy({ config, sql: select, columns, directory });
  const program = { directory, reads: [], statements: [statement] };
  const [answer] = await files.duckdb.run(program, context().signal);
  const written = { directory, rows: answer?.changed ?? 0 };
  await destination.upload(config, delivery, { split, attempt }, written, context());
  await scratch.remove();
};

const visible = async ({ path }: DestinationFilesConfig): Promise<string[]> => {
  const glob = makeGlob(`${path}/**`);
  const keys: string[] = [];
  for await (const { key } of files.store.list(path, context()))
    if (glob.matches(key)) keys.push(key);
  return keys.map((key) => key.slice(path.length + 1));
};

const hidden = async ({ path }: DestinationFilesConfig): Promise<string[]> => {
  const keys: string[] = [];
  for await (const { key } of files.store.list(`${path}/.fluxline/`, context())) keys.push(key);
  return keys;
};

const job = '0197f5f6-0000-7000-8000-00000000000a';

it.each([
  ['csv', 'none', 'csv', ['id bigint', 'where text', 'price numeric']],
  ['csv', 'gzip', 'csv.gz', ['id bigint', 'where text', 'price numeric']],
  ['csv', 'zstd', 'csv.zst', ['id bigint', 'where text', 'price numeric']],
  ['json', 'none', 'json', ['id bigint', 'where text', 'price double']],
  ['json', 'gzip', 'json.gz', ['id bigint', 'where text', 'price double']],
  ['jsonl', 'none', 'jsonl', ['id bigint', 'where text', 'price double']],
  ['jsonl', 'zstd', 'jsonl.zst', ['id bigint', 'where text', 'price double']],
  ['parquet', 'none', 'parquet', ['id integer', 'where text', 'price decimal(9,2)']],
  ['parquet', 'zstd', 'parquet', ['id integer', 'where text', 'price decimal(9,2)']],
  ['parquet', 'snappy', 'parquet', ['id integer', 'where text', 'price decimal(9,2)']],
] as const)('writes %s (%s) as .%s that reads back', async (format, compression, end, found) => {
  const config = configOf({ format, compression });
  await destination.prepare(config, columns, deliveryOf(), context());
  await writeSplit(config, deliveryOf(), 7, 1);
  expect(await visible(config)).toEqual([]);
  await destination.publish(config, deliveryOf(), [{ split: 7, attempt: 1 }], context());
  const [name, ...others] = await visible(config);
  expect(others).toEqual([]);
  expect(name).toMatch(new RegExp(`^part-00007-${job}-[0-9a-f]{6}\\.${end.replace('.', '\\.')}$`));
  const path = `${config.path}/*`;
  expect(await columnsOf(files, { path })).toEqual(found);
  const price = format === 'json' || format === 'jsonl' ? '1.5' : '1.50';
  expect((await readAll(files, { path })).text).toBe(`1,a/b,${price}\n2,,\n`);
});

it.each(['csv', 'json', 'jsonl', 'parquet'] as const)('writes no rows as %s', async (format) => {
  const config = configOf({ format });
  await writeSplit(config, deliveryOf(), 0, 1, `${sql} LIMIT 0`);
  await destination.publish(config, deliveryOf(), [{ split: 0, attempt: 1 }], context());
  const [name] = await visible(config);
  const contents = await readFile(`${files.root}/${config.path}/${name ?? ''}`);
  const whole = { csv: 'id,where,price\n', json: '[\n\t\n]\n', jsonl: '' };
  if (format === 'parquet') {
    expect(await columnsOf(files, { path: `${config.path}/*` })).toHaveLength(3);
  } else expect(contents.toString()).toBe(whole[format]);
});

it('keeps the directories of partitions', async () => {
  const config = configOf({ partitionBy: ['where'], compression: 'gzip' });
  await writeSplit(config, deliveryOf(), 0, 1);
  await writeSplit(config, deliveryOf(), 1, 1, `${sql} LIMIT 0`);
  const winners = [
    { split: 0, attempt: 1 },
    { split: 1, attempt: 1 },
  ];
  await destination.publish(config, deliveryOf(), winners, context());
  const names = await visible(config);
  expect(names).toHaveLength(2);
  expect(names[1]).toMatch(/^where=a%2Fb\/part-00000-.*\.csv\.gz$/);
  const contents = await readFile(`${files.root}/${config.path}/${names[1] ?? ''}`);
  expect(gunzipSync(contents).toString()).toBe('id,price\n1,1.50\n');
});

it('refuses partitions that could not be', async () => {
  const refused = (partitionBy: string[]): Promise<unknown> =>
    destination.prepare(configOf({ partitionBy }), columns, deliveryOf(), context());
  await expect(refused(['nope'])).rejects.toThrow('nope');
  await expect(refused(['id', 'where', 'price'])).rejects.toThrow('all columns');
});

it('publishes the attempts that won, and nothing of others, however often', async () => {
  const config = configOf({ format: 'jsonl' });
  const one = `SELECT 1 AS id, 'x' AS "where", 1.0 AS price`;
  await writeSplit(config, deliveryOf(), 0, 1, one);
  await writeSplit(config, deliveryOf(), 0, 2);
  await writeSplit(config, deliveryOf(), 1, 1);
  await writeSplit(config, deliveryOf(), 2, 1);
  const winners = [
    { split: 0, attempt: 2 },
    { split: 1, attempt: 1 },
  ];
  await destination.publish(config, deliveryOf(), winners, context());
  const names = await visible(config);
  expect(names).toHaveLength(2);
  await destination.publish(config, deliveryOf(), winners, context());
  expect(await visible(config)).toEqual(names);
  expect((await readAll(files, { path: `${config.path}/*` })).rows).toBe(4);
});

it('goes on where a publish was interrupted', async () => {
  const config = configOf({ format: 'jsonl' });
  const winners = [0, 1, 2].map((split) => ({ split, attempt: 1 }));
  for (const { split } of winners) await writeSplit(config, deliveryOf(), split, 1);
  let renames = 0;
  const failing = makeFilesDestination({
    store: {
      ...files.store,
      rename: async (from, to, ctx) => {
        renames += 1;
        if (renames === 2) throw new Error('killed');
        await files.store.rename(from, to, ctx);
      },
    },
  });
  await expect(failing.publish(config, deliveryOf(), winners, context())).rejects.toThrow('killed');
  expect(await visible(config)).toHaveLength(1);
  await destination.publish(config, deliveryOf(), winners, context());
  expect(await visible(config)).toHaveLength(3);
});

it('fails where a winner did not write all it had', async () => {
  const config = configOf({});
  const published = destination.publish(
    config,
    deliveryOf(),
    [{ split: 3, attempt: 1 }],
    context(),
  );
  await expect(published).rejects.toThrow('split 3');
});

it('takes back what it published, and knows what was gone', async () => {
  const config = configOf({ format: 'jsonl' });
  const winners = [0, 1].map((split) => ({ split, attempt: 1 }));
  for (const { split } of winners) await writeSplit(config, deliveryOf(), split, 1);
  await writeSplit(config, { ...deliveryOf(), stage: 'other' }, 0, 1);
  await destination.publish(config, deliveryOf(), winners, context());
  const other = { ...deliveryOf(), stage: 'other' };
  await destination.publish(config, other, [{ split: 0, attempt: 1 }], context());
  const stays = (await visible(config)).length - 2;
  expect(stays).toBe(1);
  const before = await visible(config);
  const own = before.filter((name) => !name.includes('part-00000')).at(0) ?? '';
  await files.store.remove(`${config.path}/${own}`, context());
  expect(await destination.undo(config, deliveryOf(), context())).toEqual({
    splits: 2,
    rowsRemoved: 2,
    rowsMissing: 2,
  });
  expect(await visible(config)).toHaveLength(1);
  expect(await destination.undo(config, deliveryOf(), context())).toEqual({
    splits: 0,
    rowsRemoved: 0,
    rowsMissing: 0,
  });
  await destination.undo(config, other, context());
  expect(await hidden(config)).toEqual([]);
});

it('makes way for another generation, and does not see what older ones still write', async () => {
  const config = configOf({ format: 'jsonl' });
  await writeSplit(config, deliveryOf(1), 0, 1);
  await destination.publish(config, deliveryOf(1), [{ split: 0, attempt: 1 }], context());
  await writeSplit(config, deliveryOf(1), 1, 1);
  const undone = await destination.startOver(config, deliveryOf(2), context());
  expect(undone).toEqual({ splits: 1, rowsRemoved: 2, rowsMissing: 0 });
  expect(await visible(config)).toEqual([]);
  expect(await hidden(config)).toEqual([]);
  await writeSplit(config, deliveryOf(2), 0, 1, `${sql} LIMIT 1`);
  await writeSplit(config, deliveryOf(1), 0, 1);
  await destination.publish(config, deliveryOf(2), [{ split: 0, attempt: 1 }], context());
  expect((await readAll(files, { path: `${config.path}/*` })).rows).toBe(1);
});
