/**
 * npm run soak: workers are killed at random moments of runs in every mode, and after each run the
 * table has to be what it would have been. FLX_SOAK_SEED repeats a soak; FLX_SOAK_ROWS and
 * FLX_SOAK_KILLS make it smaller, FLX_SOAK_MODES (append,upsert) names some of the modes. A soak of all
 * of them writes docs/faults.md.
 */
import { writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { prepareCheckout } from '../bin/start/build.mjs';
import { makeProgress } from '../bin/start/progress.mjs';
import { REPOSITORY } from '../bin/start/settings.mjs';
import { fillSql, names, tableSql } from './engine/data.mjs';
import { openStage, until } from './stage.mjs';

const rows = Number(process.env.FLX_SOAK_ROWS ?? 2_000_000);
const kills = Number(process.env.FLX_SOAK_KILLS ?? 30);
const seed = Number(process.env.FLX_SOAK_SEED ?? Date.now() % 1_000_000);

const wanted = process.env.FLX_SOAK_MODES?.split(',');

let state = seed;
/** The same numbers for the same seed. */
const random = () => {
  state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
  return state / 4_294_967_296;
};

const old = `id + ${rows / 2} as id, ${names.split(', ').slice(1).join(', ')}`;
const half = `select ${old} from source`;
const modes = [
  {
    mode: 'append',
    before: `${half} limit 10`,
    after: 'select * from before union all select * from source',
  },
  { mode: 'replace', before: `${half} limit 1000`, after: 'select * from source' },
  {
    mode: 'upsert',
    keyed: true,
    before: half,
    after: `select * from source union all select * from before where id > ${rows}`,
  },
  { mode: 'delete', keyed: true, before: half, after: `select * from before where id > ${rows}` },
].filter(({ mode }) => wanted?.includes(mode) ?? true);

await prepareCheckout({ root: REPOSITORY }, makeProgress(process.stdout, process.stderr));
const stage = await openStage({ FLX_HEARTBEAT_SECONDS: '3', FLX_DISPATCH_TICK_MS: '500' });
try {
  const url = new URL(stage.url);
  url.pathname = '/target';
  const db = new pg.Client({ connectionString: url.href });
  // The server goes before its clients where the soak ends early; the reason is told elsewhere.
  db.on('error', () => undefined);
  await db.connect();
  await db.query(tableSql('source', ', primary key (id)'));
  await db.query(fillSql('source', rows));
  await db.query('vacuum analyze');
  const project = (await stage.api('POST', '/api/projects', { name: 'soak' })).id;
  const connectionId = (
    await stage.api('POST', '/api/connections', {
      name: 'soak',
      type: 'postgres',
      config: {
        host: url.hostname,
        port: Number(url.port),
        database: 'target',
        user: url.username,
        password: url.password,
      },
    })
  ).id;

  let worker = stage.worker;
  const replaceWorker = async () => {
    worker = await stage.start('dist/bin/worker.js');
  };

  const results = [];
  for (const { mode, keyed, before, after } of modes) {
    const { id } = await stage.api('POST', '/api/pipelines', {
      name: mode,
      projectId: project,
      nodes: [
        { id: 'source', type: 'source.table', config: { connectionId, table: 'source' } },
        {
          id: 'table',
          type: 'destination.table',
          config: { connectionId, table: 'target', mode, ...(keyed ? { keys: ['id'] } : {}) },
        },
      ],
      edges: [{ id: 'load', source: 'source', target: 'table' }],
    });
    await db.query(
      `drop table if exists before, wanted; create table before as ${before}; create table wanted as ${after}`,
    );
    const once = async (killAfterMs) => {
      await db.query(
        `drop table if exists target; ${tableSql('target', keyed ? ', primary key (id)' : '')}`,
      );
      await db.query('insert into target select * from before; analyze target');
      const began = performance.now();
      const { runId } = await stage.api('POST', `/api/pipelines/${id}/run`);
      if (killAfterMs !== undefined) {
        await delay(killAfterMs);
        worker.child.kill('SIGKILL');
        await replaceWorker();
      }
      let run;
      await until(
        async () => {
          run = await stage.api('GET', `/api/runs/${runId}`);
          return run.finishedAt !== null;
        },
        `run ${runId}`,
        600,
        200,
      );
      const seconds = (performance.now() - began) / 1000;
      const { rows: found } = await db.query(
        `select (select count(*) from (table wanted except all table target) a)::int as missing,
                (select count(*) from (table target except all table wanted) b)::int as extra`,
      );
      return { status: run.status, error: run.error?.code ?? '', seconds, ...found[0] };
    };
    const undisturbed = await once();
    const runs = [];
    for (let kill = 0; kill < kills; kill++) {
      runs.push(await once(Math.floor(random() * undisturbed.seconds * 1000)));
      console.log(mode, kill + 1, JSON.stringify(runs.at(-1)));
    }
    results.push({
      mode,
      kills,
      succeeded: runs.filter(({ status }) => status === 'succeeded').length,
      exact: runs.filter(({ missing, extra }) => missing === 0 && extra === 0).length,
      undisturbed: undisturbed.seconds.toFixed(1),
      slowest: Math.max(...runs.map(({ seconds }) => seconds)).toFixed(1),
    });
  }
  await db.end();
  console.table(results);
  console.log(`seed ${seed}`);
  const line = (one) =>
    `| ${one.mode} | ${one.kills} | ${one.succeeded} | ${one.exact} | ${one.undisturbed} s | ${one.slowest} s |`;
  const report = `# Faults

Report of the last \`npm run soak\`: the worker is killed (\`kill -9\`) at a random moment of each run and
another one is started; afterwards the table is compared with what it has to be, row by row, both ways.
Seed ${seed}, ${rows.toLocaleString('en')} rows × 16 columns, consistency \`auto\`, signs of life missed after 3 s.

| Mode | Kills | Succeeded | Exact | Undisturbed | Slowest |
| --- | --- | --- | --- | --- | --- |
${results.map(line).join('\n')}

The tests in \`test/e2e\` kill workers, APIs, PostgreSQL and Temporal at stated points of every mode, fill
the staging store, and let others write to the source meanwhile; they run in CI.
`;
  if (!wanted) await writeFile(new URL('../docs/faults.md', import.meta.url), report);
  if (results.some(({ succeeded, exact }) => succeeded < kills || exact < kills)) {
    process.exitCode = 1;
  }
} finally {
  await stage.close();
}
process.exit();
