/**
 * Testing a connection through the API, beside the same driver called directly and beside a
 * workflow of one activity: what the way through Temporal adds.
 */
import client from '@temporalio/client';
import pg from 'pg';
import { until } from './stage.mjs';

const repeats = 100;

const timed = async (work) => {
  const started = performance.now();
  await work();
  return performance.now() - started;
};

const at = (values, share) => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
};

/** Connects, asks, and goes: no less than any check has to do. */
const driverOnce = async (config) => {
  const session = new pg.Client({ ...config, ssl: false });
  await session.connect();
  await session.query('select version()');
  await session.end();
};

export async function live(stage) {
  const worker = await stage.start('bench/floor-worker.mjs');
  await until(() => worker.output().includes('ready'), 'the floor worker');
  const connection = await client.Connection.connect({ address: stage.temporal.address });
  const temporal = new client.Client({ connection });
  const workflowOnce = (n) =>
    temporal.workflow.execute('oneActivity', { taskQueue: 'floor', workflowId: `live-floor-${n}` });
  const { hostname: host, port, username: user, password } = stage.url;
  const config = { host, port: Number(port), database: 'target', user, password };
  const body = { type: 'postgres', config: { ...config, ssl: 'disable' } };
  const testOnce = async () => {
    const { ok, message } = await stage.api('POST', '/api/connections/test', body);
    if (!ok) throw new Error(`the connection does not work: ${message}`);
  };

  const times = { driver: [], workflow: [], test: [] };
  for (let n = -10; n < repeats; n++) {
    // In turn, so that all meet the same noise; the first ones warm everything up.
    const driver = await timed(() => driverOnce(config));
    const workflow = await timed(() => workflowOnce(n));
    const test = await timed(testOnce);
    if (n < 0) continue;
    times.driver.push(driver);
    times.workflow.push(workflow);
    times.test.push(test);
  }
  await connection.close();
  worker.child.kill('SIGKILL');
  return [
    { name: 'median', share: 0.5 },
    { name: 'p99', share: 0.99 },
  ].map(({ name, share }) => {
    const [driver, workflow, test] = [times.driver, times.workflow, times.test].map((all) =>
      at(all, share),
    );
    const added = test - driver;
    return {
      what: `test of a connection, ${name}: added to the driver's ${driver.toFixed(1)} ms`,
      floor: `${workflow.toFixed(1)} ms (one activity)`,
      ours: `${added.toFixed(1)} ms`,
      ratio: (added / workflow).toFixed(2),
      wanted: '≤ 3',
    };
  });
}
