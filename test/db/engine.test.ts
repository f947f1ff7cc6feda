import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { noCounts } from '../../core/metrics.js';
import { openDatabase } from '../../db/knex.js';
import { makeRepos } from '../../db/repos/index.js';
import type { Repos } from '../../db/repos/index.js';
import { createTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';

let database: TestDatabase;
let db: Knex;
let repos: Repos;
let scope: { workspaceId: string };
let jobId: string;
let pipelineId: string;

beforeAll(async () => {
  database = await createTestDatabase();
  db = openDatabase({ url: database.url, poolSize: 2, applicationName: 'test' });
  repos = makeRepos(db);
  const [workspace] = await db('workspaces').select<{ id: string }[]>('id');
  const [user] = await db('users').select<{ id: string }[]>('id');
  if (!workspace || !user) throw new Error('the test database is empty');
  scope = { workspaceId: workspace.id };
  const project = await repos.projects.create(scope, { name: 'engine', description: null });
  const pipeline = await repos.pipelines.create(scope, {
    projectId: project.id,
    folderId: null,
    name: 'engine',
    nodes: '[]',
    edges: '[]',
    connectionIds: [],
    createdBy: user.id,
  });
  pipelineId = pipeline.id;
  const job = await repos.jobs.enqueue(scope, {
    type: 'pipeline_run',
    trigger: 'manual',
    priority: 'normal',
    pipeline,
    environmentId: null,
    variables: '{}',
    requestedBy: user.id,
    requestId: 'test',
  });
  jobId = job.id;
});

afterAll(async () => {
  await db.destroy();
  await database.drop();
});

test('a stage counts a generation once, and a snapshot belongs to one of them', async () => {
  await repos.stages.add(scope, jobId, [{ stage: 'a', generation: 0 }]);
  await repos.stages.add(scope, jobId, [{ stage: 'a', generation: 7 }]);
  expect(await repos.stages.saveSnapshot(scope, jobId, 'a', 0, 'first')).toBe(true);
  await repos.stages.opened(scope, jobId, 'a');
  await repos.stages.startOver(scope, jobId, 'a', 0);
  await repos.stages.startOver(scope, jobId, 'a', 0);
  expect(await repos.stages.find(scope, jobId, 'a')).toMatchObject({
    generation: 1,
    opened_at: null,
    snapshot: null,
  });
  expect(await repos.stages.saveSnapshot(scope, jobId, 'a', 0, 'late')).toBe(false);
  expect(await repos.stages.saveSnapshot(scope, jobId, 'a', 1, 'second')).toBe(true);
  expect(await repos.stages.find(scope, jobId, 'a')).toMatchObject({ snapshot: 'second' });
});

test('of two attempts at a split the first to succeed counts', async () => {
  await repos.splits.add(scope, jobId, [{ stage: 'a', split: 0, range: '{}' }]);
  const key = { jobId, stage: 'a', split: 0 };
  await repos.splits.start(scope, key, 1);
  await repos.splits.progress(scope, key, 1, { ...noCounts, rowsRead: 3 });
  await repos.splits.start(scope, key, 2);
  await repos.splits.progress(scope, key, 1, { ...noCounts, rowsRead: 99 });
  expect(await repos.splits.get(scope, key)).toMatchObject({ rows_read: 3, attempt: 2 });
  const counts = { ...noCounts, rowsIn: 5, rowsFiltered: null, rowsWritten: 5 };
  expect(await repos.splits.succeed(scope, key, counts, '["x"]')).toBe(true);
  expect(await repos.splits.succeed(scope, key, noCounts, '["y"]')).toBe(false);
  expect(await repos.splits.get(scope, key)).toMatchObject({ rows_written: 5, output: '["x"]' });
  const [totals] = await repos.splits.totals(scope, jobId);
  expect(totals).toMatchObject({ splits: 1, done: 1, rowsIn: 5, rowsFiltered: null });
  await repos.splits.removeStage(scope, jobId, 'a');
  expect(await repos.splits.ofStage(scope, jobId, 'a')).toEqual([]);
});

test('how many rows a query read of each source is found in what its split has left', async () => {
  const rowsRead = { orders: 5_000_000_000, 'a "node"': 2 };
  const outputs = { query: { attempt: 1, files: [], rowsRead }, old: { attempt: 1, files: [] } };
  for (const [stage, output] of Object.entries(outputs)) {
    await repos.splits.add(scope, jobId, [{ stage, split: 0, range: '{}' }]);
    const key = { jobId, stage, split: 0 };
    await repos.splits.succeed(scope, key, noCounts, JSON.stringify(output));
  }
  const found = await repos.splits.rowsOfSources(scope, jobId, ['query', 'old', 'never begun']);
  expect(found).toEqual(new Map(Object.entries(rowsRead)));
  expect(await repos.splits.rowsOfSources(scope, jobId, [])).toEqual(new Map());
  for (const stage of Object.keys(outputs)) await repos.splits.removeStage(scope, jobId, stage);
});

const letter = (id: string, code = 'malformed') => ({
  id,
  nodeId: 'n',
  position: 1,
  code,
  message: 'bad',
  column: null,
  payload: '{}',
});

test('dead letters are those of the last attempt, and are seen when their split is done', async () => {
  const place = { jobId, pipelineId, stage: 's', split: 0 };
  await repos.deadLetters.replace(scope, place, [
    letter('a'),
    letter('b'),
    letter('c', 'rule_failed'),
  ]);
  await repos.deadLetters.replace(scope, place, [letter('b'), letter('c', 'rule_failed')]);
  const ids = () => db('dead_letters').orderBy('id').select('id', 'visible');
  expect(await ids()).toEqual([
    { id: 'b', visible: false },
    { id: 'c', visible: false },
  ]);
  await repos.deadLetters.reveal(scope, place);
  expect(await ids()).toEqual([
    { id: 'b', visible: true },
    { id: 'c', visible: true },
  ]);
  expect(await repos.deadLetters.errorsElsewhere(scope, { ...place, split: 1 })).toBe(1);
  expect(await repos.deadLetters.errorsElsewhere(scope, place)).toBe(0);
  await repos.deadLetters.replace(scope, place, []);
  expect(await ids()).toEqual([]);
});

test('a cursor moves with the run that read so far, and belongs to one column', async () => {
  const cursor = { nodeId: 'n', column: 'updated_at', value: '2026-01-01' };
  const get = (column: string) => repos.cursors.get(scope, pipelineId, 'n', column);
  expect(await get('updated_at')).toBeUndefined();
  await repos.cursors.advance(scope, pipelineId, jobId, [cursor]);
  await repos.cursors.advance(scope, pipelineId, jobId, [{ ...cursor, value: '2026-02-01' }]);
  expect(await get('updated_at')).toBe('2026-02-01');
  expect(await get('id')).toBeUndefined();
  expect(await repos.cursors.reset(scope, pipelineId)).toBe(1);
  expect(await repos.cursors.reset(scope, pipelineId)).toBe(0);
  expect(await get('updated_at')).toBeUndefined();
});

test('a live question and its answer are each read once', async () => {
  const id = randomUUID();
  await repos.live.ask(scope, id, 'sealed');
  expect(await repos.live.take(id)).toEqual({ ...scope, sealed: 'sealed' });
  expect(await repos.live.take(id)).toBeUndefined();
  await repos.live.answer(scope, id, '{}');
  expect(await repos.live.read({ workspaceId: randomUUID() }, id)).toBeUndefined();
  expect(await repos.live.read(scope, id)).toBe('{}');
  expect(await repos.live.read(scope, id)).toBeUndefined();
});

test('what nobody came for goes with the next question', async () => {
  const [old, next] = [randomUUID(), randomUUID()];
  await repos.live.ask(scope, old, 'sealed');
  await repos.live.answer(scope, old, '{}');
  for (const table of ['live_inputs', 'live_results']) {
    await db(table).update({ created_at: db.raw(`now() - interval '3 minutes'`) });
  }
  await repos.live.ask(scope, next, 'sealed');
  expect(await db('live_inputs').select('id')).toEqual([{ id: next }]);
  expect(await db('live_results').select('id')).toEqual([]);
});

test('a binding is remembered for the version that was bound', async () => {
  await repos.pipelines.markBound(scope, pipelineId, 2);
  expect((await repos.pipelines.get(scope, pipelineId)).bound_version).toBeNull();
  await repos.pipelines.markBound(scope, pipelineId, 1);
  expect((await repos.pipelines.get(scope, pipelineId)).bound_version).toBe(1);
});
