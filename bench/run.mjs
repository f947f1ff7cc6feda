/** npm run bench: floors and ours in one run, as a table of ratios. */
import client from '@temporalio/client';
import { prepareCheckout } from '../bin/start/build.mjs';
import { makeProgress } from '../bin/start/progress.mjs';
import { REPOSITORY } from '../bin/start/settings.mjs';
import { freePort } from '../servers/ports.mjs';
import { engine } from './engine/run.mjs';
import { live } from './live.mjs';
import { load } from './load.mjs';
import { openStage, until } from './stage.mjs';

const connections = 32;
const seconds = Number(process.env.FLX_BENCH_SECONDS ?? 5);
const rounds = 3;
const repeats = 40;
const atOnce = 200;

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

const rows = [];
const report = (what, floor, ours, ratio, wanted) => {
  rows.push({ what, floor, ours, ratio: ratio.toFixed(2), wanted });
};

/** Floor and ours in turn, so that both meet the same noise. */
async function http(stage) {
  const port = await freePort();
  const floor = await stage.start('bench/floor-api.mjs', { PORT: String(port) });
  await until(() => floor.output().includes('ready'), 'the floor');
  const { id } = await stage.api('POST', '/api/projects', { name: 'bench' });
  const authorization = `Bearer ${stage.apiKey}`;
  const cases = [
    {
      what: 'GET /api/projects/{id}',
      method: 'GET',
      route: `/api/projects/${id}`,
      wanted: '≥ 0.5',
    },
    {
      what: 'POST /api/projects',
      method: 'POST',
      route: '/api/projects',
      body: (n) => JSON.stringify({ name: `bench ${n}` }),
      wanted: 'stated',
    },
  ];
  for (const { what, method, route, body, wanted } of cases) {
    const common = { method, connections, seconds, ...(body ? { body } : {}) };
    const results = { floor: [], ours: [] };
    for (let round = 0; round < rounds; round++) {
      results.floor.push(await load({ ...common, url: `http://127.0.0.1:${port}${route}` }));
      results.ours.push(
        await load({ ...common, url: stage.base + route, headers: { authorization } }),
      );
    }
    const errors = [...results.floor, ...results.ours].reduce((sum, one) => sum + one.errors, 0);
    if (errors > 0) throw new Error(`${what}: ${errors} requests failed`);
    const floorRate = median(results.floor.map(({ perSecond }) => perSecond));
    const rate = median(results.ours.map(({ perSecond }) => perSecond));
    report(what, `${floorRate.toFixed(0)}/s`, `${rate.toFixed(0)}/s`, rate / floorRate, wanted);
  }
  floor.child.kill('SIGKILL');
}

const oneRow = (connectionId) => ({
  nodes: [
    {
      id: 'rows',
      type: 'source.inline',
      config: { columns: [{ name: 'id', type: 'integer' }], rows: [[1]] },
    },
    {
      id: 'table',
      type: 'destination.table',
      config: { connectionId, table: 'one_row', mode: 'append' },
    },
  ],
  edges: [{ id: 'load', source: 'rows', target: 'table' }],
});

async function makePipeline(stage) {
  const project = await stage.api('POST', '/api/projects', { name: 'runs' });
  const { hostname: host, port, username: user, password } = stage.url;
  const connection = await stage.api('POST', '/api/connections', {
    name: 'target',
    type: 'postgres',
    config: { host, port: Number(port), database: 'target', user, password },
  });
  const { id } = await stage.api('POST', '/api/pipelines', {
    name: 'one row',
    projectId: project.id,
    ...oneRow(connection.id),
  });
  return id;
}

const runOnce = async (stage, pipelineId) => {
  const { runId } = await stage.api('POST', `/api/pipelines/${pipelineId}/run`);
  const ended = async () => {
    const { status } = await stage.api('GET', `/api/runs/${runId}`);
    if (status === 'failed' || status === 'canceled') throw new Error(`run ${runId} ${status}`);
    return status === 'succeeded';
  };
  await until(ended, `run ${runId}`);
  return runId;
};

const timed = async (work) => {
  const started = performance.now();
  await work();
  return performance.now() - started;
};

async function runs(stage) {
  const worker = await stage.start('bench/floor-worker.mjs');
  await until(() => worker.output().includes('ready'), 'the floor worker');
  const connection = await client.Connection.connect({ address: stage.temporal.address });
  const temporal = new client.Client({ connection });
  const floorOnce = (n) =>
    temporal.workflow.execute('oneActivity', { taskQueue: 'floor', workflowId: `floor-${n}` });
  const pipelineId = await makePipeline(stage);

  for (let warm = 0; warm < 5; warm++) {
    await floorOnce(`warm-${warm}`);
    await runOnce(stage, pipelineId);
  }
  const floor = [];
  const ours = [];
  let last = '';
  for (let n = 0; n < repeats; n++) {
    floor.push(await timed(() => floorOnce(n)));
    ours.push(
      await timed(async () => {
        last = await runOnce(stage, pipelineId);
      }),
    );
  }
  const history = await temporal.workflow.getHandle(`pipeline_run-${last}`).fetchHistory();
  const activities = history.events.filter((event) => event.activityTaskScheduledEventAttributes);
  if (activities.length < 3) throw new Error(`a run has only ${activities.length} activities`);
  const [floorMs, ourMs] = [median(floor), median(ours)];
  report(
    `run of one row → succeeded (${activities.length} activities)`,
    `${floorMs.toFixed(0)} ms`,
    `${ourMs.toFixed(0)} ms`,
    ourMs / floorMs,
    '≤ 5',
  );

  const floorBurst = await timed(() =>
    Promise.all(Array.from({ length: atOnce }, (_, n) => floorOnce(`burst-${n}`))),
  );
  const burst = await timed(async () => {
    const started = await Promise.all(
      Array.from({ length: atOnce }, () => stage.api('POST', `/api/pipelines/${pipelineId}/run`)),
    );
    const open = async (status) =>
      (await stage.api('GET', `/api/runs?status=${status}&limit=1`)).data.length > 0;
    await until(
      async () => !(await open('queued')) && !(await open('running')),
      'the burst',
      300,
      50,
    );
    for (const { runId } of started) {
      const { status } = await stage.api('GET', `/api/runs/${runId}`);
      if (status !== 'succeeded') throw new Error(`run ${runId} ${status}`);
    }
  });
  const perSecond = (ms) => (atOnce / ms) * 1000;
  report(
    `${atOnce} runs at once, all succeeded`,
    `${perSecond(floorBurst).toFixed(1)}/s`,
    `${perSecond(burst).toFixed(1)}/s`,
    perSecond(burst) / perSecond(floorBurst),
    'stated',
  );
  await connection.close();
}

await prepareCheckout({ root: REPOSITORY }, makeProgress(process.stdout, process.stderr));
// `npm run bench -- api`, `-- live` or `-- engine`: one part of it.
const [part] = process.argv.slice(2);
const wants = (name) => part === undefined || part === name;
const stage = await openStage();
let engineRows = [];
try {
  if (wants('api')) {
    await http(stage);
    await runs(stage);
  }
  if (wants('live')) rows.push(...(await live(stage)));
  if (wants('engine')) engineRows = await engine(stage);
} catch (error) {
  console.error(stage.worker.output());
  throw error;
} finally {
  await stage.close();
}
if (rows.length > 0) console.table(rows);
if (engineRows.length > 0) console.table(engineRows);
process.exit(0);
