import { mkdtemp, readFile, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CallContext } from '../../../connectors/connector.js';
import { openConnector } from '../../../connectors/registry.js';
import { openStaging } from '../../../engine/staging/staging.js';
import type { StagedName, Staging } from '../../../engine/staging/staging.js';
import { localDirectories } from '../../support/anywhere.js';

const context = (): CallContext => ({
  signal: new AbortController().signal,
  log: { info: () => undefined, warn: () => undefined },
});

const net = { connect: () => Promise.reject(new Error('files need no network')) };

let base: string;

const open = (url = base, maxBytes = 1000): Promise<Staging> =>
  openStaging({
    url,
    maxBytes,
    openConnector: (id, config) =>
      openConnector(id, config, { net, role: 'destination', maxRowBytes: 1, localDirectories }),
  });

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'staging-'));
});

afterEach(() => rm(base, { recursive: true }));

const fileOf = async (bytes: number): Promise<string> => {
  const directory = await mkdtemp(join(tmpdir(), 'staged-'));
  await writeFile(join(directory, 'x'), 'x'.repeat(bytes));
  return join(directory, 'x');
};

const put = async (staging: Staging, name: StagedName, bytes: number): Promise<void> =>
  staging.put(name, await fileOf(bytes), context());

const list = async (staging: Staging, job: string, stage?: string): Promise<string[]> => {
  const names: string[] = [];
  for await (const one of staging.list(job, stage, context())) {
    names.push(`${one.job} ${one.stage} ${one.file} ${one.bytes}`);
  }
  return names;
};

it('keeps files under names of any kind, apart from each other', async () => {
  const staging = await open(`file://${base}`);
  await put(staging, { job: 'j', stage: '../x', file: '0.parquet' }, 1);
  await put(staging, { job: 'j', stage: '../x', file: '1.parquet' }, 2);
  await put(staging, { job: 'j', stage: '..', file: 'a/b %' }, 3);
  await put(staging, { job: 'j2', stage: '..', file: 'a' }, 4);
  expect(await list(staging, 'j')).toEqual([
    'j ../x 0.parquet 1',
    'j ../x 1.parquet 2',
    'j .. a/b % 3',
  ]);
  expect(await list(staging, 'j', '../x')).toHaveLength(2);
  const name = { job: 'j', stage: '..', file: 'a/b %' };
  const path = await staging.fetch(name, base, context());
  expect(await readFile(path, 'utf8')).toBe('xxx');
  await staging.remove(name, context());
  expect(await list(staging, 'j', '..')).toEqual([]);
  await staging.removeJob('j', context());
  expect(await list(staging, 'j')).toEqual([]);
  expect(await list(staging, 'j2')).toHaveLength(1);
});

it('refuses what is beyond its limit, whoever filled it', async () => {
  const one = await open();
  const other = await open();
  await put(one, { job: 'a', stage: 's', file: '1' }, 400);
  await put(other, { job: 'b', stage: 's', file: '1' }, 500);
  const refused = put(one, { job: 'a', stage: 's', file: '2' }, 200);
  await expect(refused).rejects.toMatchObject({
    failure: {
      code: 'resource_exhausted',
      message: expect.stringContaining('FLX_STAGING_MAX_BYTES') as unknown,
    },
  });
  expect(await one.usage(context())).toBe(900);
  await other.removeJob('b', context());
  await put(one, { job: 'a', stage: 's', file: '2' }, 600);
  expect(await other.usage(context())).toBe(1000);
});

it('counts puts that run at the same time', async () => {
  const staging = await open();
  const path = await fileOf(400);
  const puts = ['1', '2', '3', '4'].map((file) =>
    staging.put({ job: 'a', stage: 's', file }, path, context()),
  );
  const outcomes = await Promise.allSettled(puts);
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
  expect(await staging.usage(context())).toBe(800);
});

it('sweeps what is old', async () => {
  const staging = await open();
  await put(staging, { job: 'old', stage: 's', file: '1' }, 1);
  const old = await staging.fetch({ job: 'old', stage: 's', file: '1' }, base, context());
  await utimes(old, new Date('2020-01-01'), new Date('2020-01-01'));
  await put(staging, { job: 'new', stage: 's', file: '1' }, 1);
  expect(await staging.sweep(new Date('2021-01-01'), context())).toBe(1);
  expect(await list(staging, 'old')).toEqual([]);
  expect(await list(staging, 'new')).toHaveLength(1);
});

it('proves to all who see the same store that they do', async () => {
  const mark = await (await open()).prove(context());
  expect(await (await open()).prove(context())).toBe(mark);
  expect(await readdir(base)).toEqual(['store.id']);
  const elsewhere = await mkdtemp(join(tmpdir(), 'staging-'));
  expect(await (await open(elsewhere)).prove(context())).not.toBe(mark);
  await rm(elsewhere, { recursive: true });
});

it.each(['relative/path', 's3://bucket', ''])('refuses the URL %j', async (url) => {
  await expect(open(url)).rejects.toThrow('FLX_STAGING_URL');
});
