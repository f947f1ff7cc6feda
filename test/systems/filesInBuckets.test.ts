/** The engine's files and its staging, with a bucket in place of a directory. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Column, Delivery } from '../../connectors/connector.js';
import { openConnector } from '../../connectors/registry.js';
import type { DestinationFilesConfig } from '../../core/nodes/destinationFiles.js';
import { makeFilesDestination } from '../../engine/files/destination.js';
import { footerOnly } from '../../engine/files/parquetFooter.js';
import { openStaging } from '../../engine/staging/staging.js';
import type { Staging } from '../../engine/staging/staging.js';
import { startMinio } from '../connectors/s3/minio.js';
import type { Minio } from '../connectors/s3/minio.js';
import { openDeps } from '../connectors/stores/anywhere.js';
import { context, keysOf } from '../connectors/stores/suite.js';
import {
  columnsOf,
  makeFilesFixture,
  readAll,
  readRelation,
  splitsOf,
} from '../engine/files/filesFixture.js';
import type { FilesFixture } from '../engine/files/filesFixture.js';

let minio: Minio;
let files: FilesFixture;

beforeAll(async () => {
  minio = await startMinio();
  const store = await minio.open(await minio.makeBucket());
  files = await makeFilesFixture(undefined, store);
}, 900_000);
afterAll(async () => {
  await files.close();
  await minio.stop();
});

const columns: readonly Column[] = [
  { name: 'id', type: { kind: 'bigint' }, nullable: true },
  { name: 'name', type: { kind: 'text' }, nullable: true },
];
const rows = (from: number, to: number): string =>
  `SELECT i AS id, CASE WHEN i % 7 = 0 THEN NULL ELSE 'row ' || i || ' "é"' END AS name
     FROM range(${from}, ${to}) AS numbers(i)`;

const delivery: Delivery = { rootJobId: randomUUID(), stage: 'save', generation: 1 };

const write = async (config: DestinationFilesConfig, split: number, sql: string): Promise<void> => {
  const destination = makeFilesDestination({ store: files.store });
  const { path: directory, remove } = await files.scratch('split');
  const statement = destination.copy({ config, sql, columns, directory });
  const program = { directory, reads: [], statements: [statement] };
  const [answer] = await files.duckdb.run(program, context().signal);
  const written = { directory, rows: answer?.changed ?? 0 };
  await destination.upload(config, delivery, { split, attempt: 1 }, written, context());
  await remove();
};

describe('files', () => {
  it.each([
    ['csv', 'none'],
    ['csv', 'gzip'],
    ['csv', 'zstd'],
    ['json', 'gzip'],
    ['jsonl', 'none'],
    ['jsonl', 'zstd'],
    ['parquet', 'zstd'],
  ] as const)(
    'as %s (%s) are seen at once, read back as they were, and taken back',
    async (format, compression) => {
      const { store } = files;
      const destination = makeFilesDestination({ store });
      const path = `out/${format} ${compression}`;
      const config: DestinationFilesConfig = {
        connectionId: randomUUID(),
        path,
        format,
        compression,
      };
      await write(config, 0, rows(0, 500));
      await write(config, 1, rows(500, 1_000));
      const visible = async (): Promise<number> =>
        (await keysOf(store, `${path}/`)).filter((key) => !key.includes('/.fluxline/')).length;
      expect(await visible()).toBe(0);
      const winners = [0, 1].map((split) => ({ split, attempt: 1 }));
      await destination.publish(config, delivery, winners, context());
      await destination.publish(config, delivery, winners, context());
      expect(await visible()).toBe(2);

      const wanted = { path: `${path}/*` };
      expect(await columnsOf(files, wanted)).toEqual(['id bigint', 'name text']);
      const read = await readAll(files, wanted);
      expect(read).toMatchObject({ rows: 1_000, rejected: [] });
      const lines = read.text.split('\n');
      expect(lines[1]).toBe('1,"row 1 ""é"""');
      expect(lines[7]).toBe('7,');
      expect(lines[999]).toBe('999,"row 999 ""é"""');
      const [range = {}] = await splitsOf(files, wanted);
      expect((await readRelation(files, range)).rows).toHaveLength(1_000);

      expect(await destination.undo(config, delivery, context())).toMatchObject({
        splits: 2,
        rowsRemoved: 1_000,
        rowsMissing: 0,
      });
      expect(await keysOf(store, path)).toEqual([]);
    },
  );

  it('are asked for one by one where a path names them', async () => {
    const { store } = files;
    const put = (key: string, text: string) =>
      store.write(
        key,
        (async function* () {
          yield Buffer.from(text);
        })(),
        context(),
      );
    await put('in/a.csv', 'id\n1\n');
    await put('in/b.csv', 'id\n2\n');
    await put('in/ab.csv', 'id\n3\n');
    expect((await readAll(files, { path: 'in/{b,a,missing}.csv' })).text).toBe('1\n2\n');
    expect((await readAll(files, { path: 'in/**/a*.csv' })).text).toBe('1\n3\n');
  });

  it('of Parquet are looked at without being fetched', async () => {
    const path = 'footer';
    const config: DestinationFilesConfig = {
      connectionId: randomUUID(),
      path,
      format: 'parquet',
      compression: 'none',
    };
    await write(config, 0, rows(0, 100_000));
    const { store } = files;
    const destination = makeFilesDestination({ store });
    await destination.publish(config, delivery, [{ split: 0, attempt: 1 }], context());
    const [key = ''] = await keysOf(store, `${path}/part`);
    const whole = await store.stat(key, context());
    if (!whole) throw new Error('it is not there');
    let fetched = 0;
    const counting = {
      ...store,
      read: async function* (...args: Parameters<typeof store.read>) {
        for await (const chunk of store.read(...args)) {
          fetched += chunk.length;
          yield chunk;
        }
      },
    };
    const { path: directory, remove } = await files.scratch('footer');
    const end = await footerOnly(counting, whole, directory, 'end.parquet', context());
    expect(fetched).toBeLessThanOrEqual(256 * 1024);
    expect(whole.bytes).toBeGreaterThan(fetched);
    const sql = `SELECT num_rows FROM parquet_file_metadata('${end}')`;
    const program = { directory, reads: [], statements: [{ sql }] };
    const [answer] = await files.duckdb.run(program, context().signal);
    expect(String(answer?.rows[0]?.[0])).toBe('100000');
    await remove();
  });
});

describe('staging', () => {
  let base: string;
  const opened: Staging[] = [];

  beforeAll(async () => {
    base = await mkdtemp(join(tmpdir(), 'staged-'));
  });
  afterAll(async () => {
    for (const staging of opened) await staging.close();
    await rm(base, { recursive: true });
  });

  const open = async (bucket: string, accessKeyId: string, secretAccessKey: string) => {
    const staging = await openStaging({
      url: `s3://${bucket}/some%20where?endpoint=${minio.url}&region=us-east-1&pathStyle=true`,
      credentials: { accessKeyId, secretAccessKey },
      maxBytes: 100_000,
      openConnector: (id, config) => openConnector(id, config, openDeps()),
    });
    opened.push(staging);
    return staging;
  };

  it('is one store for all workers that name it, and none without its keys', async () => {
    const { bucket, accessKeyId, secretAccessKey } = await minio.makeBucket();
    const one = await open(bucket, accessKeyId, secretAccessKey);
    const other = await open(bucket, accessKeyId, secretAccessKey);
    const mark = await one.prove(context());
    expect(await other.prove(context())).toBe(mark);
    const name = { job: randomUUID(), stage: '../ä', file: '0.parquet' };
    const path = join(base, 'file');
    await writeFile(path, 'staged');
    await one.put(name, path, context());
    const fetched = await other.fetch(name, base, context());
    expect(await readFile(fetched, 'utf8')).toBe('staged');
    const listed = [];
    for await (const file of other.list(name.job, undefined, context())) listed.push(file);
    expect(listed).toEqual([{ ...name, bytes: 6 }]);
    expect(await other.usage(context())).toBe(mark.length + 6);
    await other.removeJob(name.job, context());
    expect(await one.usage(context())).toBe(mark.length);
    const stranger = await open(bucket, accessKeyId, 'another-secret');
    await expect(stranger.prove(context())).rejects.toMatchObject({
      failure: { reason: 'login_refused' },
    });
  });

  it('is no larger than it may be', async () => {
    const { bucket, accessKeyId, secretAccessKey } = await minio.makeBucket();
    const staging = await open(bucket, accessKeyId, secretAccessKey);
    const path = join(base, 'large');
    await writeFile(path, Buffer.alloc(60_000));
    const name = (file: string) => ({ job: 'j', stage: 's', file });
    await staging.put(name('1'), path, context());
    await expect(staging.put(name('2'), path, context())).rejects.toThrow('FLX_STAGING_MAX_BYTES');
  });
});
