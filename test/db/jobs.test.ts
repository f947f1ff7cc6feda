import type { Knex } from 'knex';
import { openDatabase } from '../../db/knex.js';
import { makeRepos } from '../../db/repos/index.js';
import type { Repos } from '../../db/repos/index.js';
import type { NewJob } from '../../db/repos/jobs.js';
import { makeInTransaction } from '../../db/tx.js';
import type { InTransaction } from '../../db/tx.js';
import { hashApiKey } from '../../secrets/apiKeys.js';
import { createTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { TEST_API_KEY } from '../support/fixed.js';

let database: TestDatabase;
let db: Knex;
let repos: Repos;
let tx: InTransaction;
let scope: { workspaceId: string };
let job: NewJob;

beforeEach(async () => {
  database = await createTestDatabase();
  db = openDatabase({ url: database.url, poolSize: 8, applicationName: 'test' });
  repos = makeRepos(db);
  tx = makeInTransaction(db);
  const owner = await repos.apiKeys.findByHash(hashApiKey(TEST_API_KEY) ?? '');
  if (!owner) throw new Error('no owner');
  scope = { workspaceId: owner.principal.workspaceId };
  const project = await repos.projects.create(scope, { name: 'p', description: null });
  const pipeline = await repos.pipelines.create(scope, {
    projectId: project.id,
    folderId: null,
    name: 'p',
    nodes: '[]',
    edges: '[]',
    connectionIds: [],
    createdBy: owner.principal.userId,
  });
  job = {
    type: 'pipeline_run',
    trigger: 'manual',
    priority: 'normal',
    pipeline,
    environmentId: null,
    variables: '{}',
    requestedBy: owner.principal.userId,
    requestId: 'r',
  };
});

afterEach(async () => {
  await db.destroy();
  await database.drop();
});

const slots = (count: number) => db('workspaces').update({ max_concurrent_runs: count });
const enqueue = async (changes: Partial<NewJob> = {}) =>
  (await tx((r) => r.jobs.enqueue(scope, { ...job, ...changes }))).value.id;
const admitted = async (): Promise<string[]> =>
  (await db('jobs').whereNotNull('admitted_at').orderBy('admitted_at').select('id')).map(
    ({ id }: { id: string }) => id,
  );
const finish = (id: string, status: 'succeeded' | 'failed' = 'succeeded') =>
  tx((r) => r.jobs.finish(scope, id, { status, metrics: null, failure: null, attempts: 1 }));
const events = async (id: string): Promise<string[]> =>
  (
    await db('events').whereRaw(`payload::json ->> 'jobId' = ?`, [id]).orderBy('id').select('name')
  ).map(({ name }: { name: string }) => name);

test('admits up to the slots, and whoever is next when one ends', async () => {
  await slots(1);
  const first = await enqueue();
  const low = await enqueue({ priority: 'low' });
  const high = await enqueue({ priority: 'high' });
  expect(await admitted()).toEqual([first]);
  await tx((r) => r.jobs.begin(first));
  const { touchedJobs } = await finish(first);
  expect(touchedJobs).toEqual([high]);
  expect(await admitted()).toEqual([first, high]);
  await tx((r) => r.jobs.requestCancel(scope, high));
  expect(await admitted()).toEqual([first, high, low]);
});

test('many enqueued at once never take more slots than there are', async () => {
  await slots(3);
  await Promise.all(Array.from({ length: 20 }, () => enqueue()));
  expect(await admitted()).toHaveLength(3);
});

test('a start is claimed by one, and again only when its holder is given up', async () => {
  const id = await enqueue();
  const claims = await Promise.all(
    Array.from({ length: 8 }, () => repos.dispatch.claimStarts(60_000)),
  );
  expect(claims.flat().map((claim) => claim.id)).toEqual([id]);
  expect(await repos.dispatch.claimStarts(0)).toHaveLength(1);
  await repos.dispatch.started(id);
  expect(await repos.dispatch.claimStarts(0)).toEqual([]);
});

test('begin is once, and never after a cancel', async () => {
  const id = await enqueue();
  expect((await tx((r) => r.jobs.begin(id))).value?.status).toBe('running');
  expect((await tx((r) => r.jobs.begin(id))).value?.status).toBe('running');
  expect(await events(id)).toEqual(['job.queued', 'job.started']);

  const other = await enqueue();
  await tx((r) => r.jobs.requestCancel(scope, other));
  expect((await tx((r) => r.jobs.begin(other))).value).toBeUndefined();
  expect(await events(other)).toEqual(['job.queued', 'job.cancelled']);
});

test('a terminal write happens once, and acknowledges what was asked', async () => {
  const id = await enqueue();
  await tx((r) => r.jobs.begin(id));
  await tx((r) => r.jobs.requestCancel(scope, id));
  await tx((r) => r.jobs.requestCancel(scope, id));
  expect(await repos.dispatch.claimCommands(60_000)).toMatchObject([
    { jobId: id, command: 'cancel' },
  ]);
  expect(await repos.dispatch.claimCommands(60_000)).toEqual([]);
  expect(await repos.dispatch.claimCommands(0)).toHaveLength(1);
  expect((await finish(id)).value).toBe(true);
  expect((await finish(id, 'failed')).value).toBe(false);
  expect(await repos.dispatch.claimCommands(0)).toEqual([]);
  expect((await repos.jobs.get(scope, id)).status).toBe('succeeded');
  expect(await events(id)).toEqual(['job.queued', 'job.started', 'job.succeeded']);
});

test('cancelling what has ended says so', async () => {
  const id = await enqueue();
  await tx((r) => r.jobs.begin(id));
  await finish(id, 'failed');
  await expect(tx((r) => r.jobs.requestCancel(scope, id))).rejects.toMatchObject({
    code: 'run_finished',
    details: { status: 'failed' },
  });
});

test('an event exists exactly if its change does', async () => {
  const failed = tx(async (r) => {
    await r.jobs.enqueue(scope, job);
    throw new Error('after the write');
  });
  await expect(failed).rejects.toThrow('after the write');
  expect(await db('jobs').select('id')).toEqual([]);
  expect(await db('events').select('id')).toEqual([]);
});

test('enqueueing while others are cancelled and finished does not deadlock', async () => {
  await slots(2);
  const ids = await Promise.all(Array.from({ length: 12 }, () => enqueue()));
  const begun = await admitted();
  for (const id of begun) await tx((r) => r.jobs.begin(id));
  await Promise.all([
    ...begun.map((id) => finish(id)),
    ...ids
      .slice(4, 8)
      .map((id) => tx((r) => r.jobs.requestCancel(scope, id)).catch(() => undefined)),
    ...Array.from({ length: 6 }, () => enqueue()),
  ]);
  const open = await db('jobs')
    .whereIn('status', ['queued', 'running'])
    .whereNotNull('admitted_at');
  expect(open).toHaveLength(2);
});

describe('log lines', () => {
  const line = (message: string) => ({ ageMs: 0, level: 'info' as const, nodeId: null, message });

  test('of many writers at once are numbered without a gap, and each batch stays together', async () => {
    const id = await enqueue();
    await Promise.all(
      Array.from({ length: 10 }, (_, writer) =>
        repos.logs.append(scope, id, [line(`${writer}a`), line(`${writer}b`)]),
      ),
    );
    const { lines, ended } = await repos.logs.read(scope, id, { limit: 100 });
    expect(ended).toBe(false);
    expect(lines.map(({ seq }) => seq)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
    for (let at = 0; at < lines.length; at += 2) {
      expect(lines[at + 1]?.message.charAt(0)).toBe(lines[at]?.message.charAt(0));
    }
  });

  test('are capped, and the last one says so', async () => {
    const id = await enqueue();
    await db('jobs').where({ id }).update({ log_lines: 19_998 });
    await repos.logs.append(scope, id, ['a', 'b', 'c'].map(line));
    await repos.logs.append(scope, id, [line('d')]);
    const { lines } = await repos.logs.read(scope, id, { limit: 100 });
    expect(lines.map(({ seq, level }) => [seq, level])).toEqual([
      [19_999, 'info'],
      [20_000, 'warn'],
    ]);
    expect(lines.at(-1)?.message).toMatch(/not kept/);
  });
});
