/** The data plane: each path beside what the same work takes with psql and DuckDB alone. */
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { until } from '../stage.mjs';
import { fillSql, names, tableSql } from './data.mjs';
import { makeFloors } from './floors.mjs';
import { memory } from './memory.mjs';
import { watch } from './watch.mjs';

const rows = Number(process.env.FLX_BENCH_ROWS ?? 2_000_000);
const pairs = Number(process.env.FLX_BENCH_PAIRS ?? 5);
const customers = 100_000;

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

const timed = async (work) => {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
};

/** A pipeline of the service, run as often as wanted; its time is what its run says. */
const makeRunner = (stage, project) => async (name, nodes, edges) => {
  const { id } = await stage.api('POST', '/api/pipelines', {
    name,
    projectId: project,
    nodes,
    edges,
  });
  return async () => {
    const { runId } = await stage.api('POST', `/api/pipelines/${id}/run`);
    let run;
    await until(
      async () => {
        run = await stage.api('GET', `/api/runs/${runId}`);
        return run.finishedAt !== null;
      },
      `${name}: run ${runId}`,
      1800,
      // Seldom: asking takes from the cores that are measured.
      250,
    );
    if (run.status !== 'succeeded') throw new Error(`${name}: ${JSON.stringify(run.error)}`);
    return (Date.parse(run.finishedAt) - Date.parse(run.queuedAt)) / 1000;
  };
};

/** source → transforms in a row → destination. */
const chain = (...nodes) => ({
  nodes,
  edges: nodes
    .slice(1)
    .map((node, at) => ({ id: `e${at}`, source: nodes[at].id, target: node.id })),
});

const derived = (expression) => [
  { id: 'filter', type: 'transform.filter', config: { where: 'quantity < 40' } },
  { id: 'derive', type: 'transform.derive', config: { columns: [{ name: 'worth', expression }] } },
];

const columnList = names.split(', ');
const renamed = {
  id: 'rename',
  type: 'transform.select',
  config: {
    columns: [
      ...columnList.map((name) => (name === 'note' ? { name: 'remark', from: 'note' } : { name })),
      { name: 'worth' },
    ],
  },
};

export async function engine(stage) {
  execFileSync('psql', ['--version']);
  const directory = await mkdtemp(path.join(tmpdir(), 'fluxline-bench-files-'));
  const url = new URL(stage.url);
  url.pathname = '/target';
  const db = new pg.Client({ connectionString: url.href });
  await db.connect();
  const floors = makeFloors(url.href);
  const results = [];
  try {
    const project = (await stage.api('POST', '/api/projects', { name: 'engine' })).id;
    const pipeline = makeRunner(stage, project);
    const connect = async (name, type, config) =>
      (await stage.api('POST', '/api/connections', { name, type, config })).id;
    const database = await connect('bench database', 'postgres', {
      host: url.hostname,
      port: Number(url.port),
      database: 'target',
      user: url.username,
      password: url.password,
    });
    const files = await connect('bench files', 'local', { directory });

    await db.query(tableSql('source'));
    await db.query(fillSql('source', rows));
    await db.query(
      `create table customers as select n as id, 'customer ' || n as name, 'country ' || n % 50 as country from generate_series(1, ${customers}) n`,
    );
    await db.query('vacuum analyze');

    const source = (table = 'source') => ({
      id: 'source',
      type: 'source.table',
      config: { connectionId: database, table },
    });
    const csvSource = {
      id: 'source',
      type: 'source.files',
      config: { connectionId: files, path: 'source.csv', format: 'csv' },
    };
    const table = (name, mode = 'append', more = {}) => ({
      id: 'table',
      type: 'destination.table',
      config: { connectionId: database, table: name, mode, ...more },
    });
    const parquet = (folder) => ({
      id: 'files',
      type: 'destination.files',
      config: { connectionId: files, path: folder, format: 'parquet', compression: 'zstd' },
    });
    const fresh = (name, more = '') =>
      db.query(`drop table if exists ${name}; ${tableSql(name, more)}`);
    const target = path.join(directory, 'floor.parquet');
    const clear = async (folder) =>
      rm(path.join(directory, folder), { recursive: true, force: true });

    /** Floor and ours in turn, so that both meet the same noise. */
    const measure = async ({ what, wanted, count = rows, before, floor, graph, check }) => {
      const run = await pipeline(what, graph.nodes, graph.edges);
      const seconds = { floor: [], ours: [] };
      const usage = [];
      for (let pair = 0; pair < pairs; pair++) {
        await before?.();
        await db.query('checkpoint');
        seconds.floor.push(await timed(floor));
        await before?.();
        await db.query('checkpoint');
        const watching = watch(stage.worker.child.pid);
        try {
          seconds.ours.push(await run());
        } finally {
          usage.push(watching.stop());
        }
      }
      await check?.();
      const [floorSeconds, ourSeconds] = [median(seconds.floor), median(seconds.ours)];
      results.push({
        what,
        floor: `${floorSeconds.toFixed(2)} s`,
        ours: `${ourSeconds.toFixed(2)} s`,
        ratio: (floorSeconds / ourSeconds).toFixed(2),
        wanted,
        'rows/s': Math.round(count / ourSeconds),
        'rows/CPU-s': Math.round(count / median(usage.map(({ cpuSeconds }) => cpuSeconds))),
        'peak RSS': `${Math.round(Math.max(...usage.map(({ peakBytes }) => peakBytes)) / 2 ** 20)} MiB`,
      });
      console.log(results.at(-1));
    };

    const counted = (name, wanted) => async () => {
      const found = Number((await db.query(`select count(*) from ${name}`)).rows[0].count);
      if (found !== wanted) throw new Error(`${name} has ${found} rows instead of ${wanted}`);
    };
    const freshTarget = async () => {
      await fresh('target');
    };
    const dropTarget = async () => {
      await db.query('drop table if exists target');
    };
    const appendFloor = () => floors.pipe('source', 'floor');
    const withFloor = (prepare) => async () => {
      await fresh('floor');
      await prepare();
    };

    const cases = {
      append: {
        what: 'PostgreSQL → PostgreSQL, append',
        wanted: '≥ 1.00',
        before: withFloor(freshTarget),
        floor: appendFloor,
        graph: chain(source(), table('target')),
        check: counted('target', rows),
      },
      pushed: {
        what: '… filter + derive + rename, pushed down',
        wanted: '≥ 0.85',
        before: withFloor(dropTarget),
        floor: appendFloor,
        graph: chain(source(), ...derived('quantity * 2'), renamed, table('target')),
      },
      duckdb: {
        what: '… with an expression only DuckDB has',
        wanted: '≥ 0.45',
        before: withFloor(dropTarget),
        floor: appendFloor,
        graph: chain(
          source(),
          ...derived("list_sum([quantity, 2]) + levenshtein(status, 'paid')"),
          renamed,
          table('target'),
        ),
      },
      parquet: {
        what: 'PostgreSQL → Parquet',
        wanted: '≥ 1.00',
        before: () => clear('out'),
        floor: async () => {
          const file = path.join(directory, 'floor.csv');
          await floors.toCsv('source', file);
          await floors.duck(
            `copy (select * from read_csv('${file}', header = false)) to '${target}' (format parquet, compression zstd)`,
          );
        },
        graph: chain(source(), parquet('out')),
      },
      csvIn: {
        what: 'CSV → PostgreSQL',
        wanted: '≥ 0.90',
        count: 0,
        before: withFloor(freshTarget),
        floor: () => floors.fromCsv(path.join(directory, 'source.csv'), 'floor'),
        graph: chain(csvSource, table('target')),
      },
      csvParquet: {
        what: 'CSV → Parquet',
        wanted: '≥ 0.90',
        count: 0,
        before: () => clear('out'),
        floor: () =>
          floors.duck(
            `copy (select * from read_csv('${path.join(directory, 'source.csv')}')) to '${target}' (format parquet, compression zstd)`,
          ),
        graph: chain(csvSource, parquet('out')),
      },
      replace: {
        what: 'replace',
        wanted: '≥ 0.85',
        before: withFloor(freshTarget),
        floor: async () => {
          await fresh('shadow');
          await floors.pipe('source', 'shadow');
          await floors.sql('begin; drop table floor; alter table shadow rename to floor; commit');
        },
        graph: chain(source(), table('target', 'replace')),
        check: counted('target', rows),
      },
      upsert: {
        what: `upsert ${rows / 2} into ${rows}`,
        wanted: '≥ 0.85',
        count: rows / 2,
        before: async () => {
          for (const name of ['floor', 'target']) {
            await fresh(name, ', primary key (id)');
            await db.query(`insert into ${name} select * from source`);
          }
        },
        floor: () =>
          floors.script(
            `create temp table incoming (like floor);\n` +
              `\\copy (select * from changes) to program 'cat > ${directory}/changes.bin' (format binary)\n` +
              `\\copy incoming from ${directory}/changes.bin (format binary)\n` +
              `insert into floor select * from incoming on conflict (id) do update set ${columnList
                .slice(1)
                .map((name) => `${name} = excluded.${name}`)
                .join(', ')};`,
          ),
        graph: chain(source('changes'), table('target', 'upsert', { keys: ['id'] })),
        check: counted('target', rows + rows / 4),
      },
      join: {
        what: `join ${rows} × ${customers}, aggregate → table`,
        wanted: '≥ 0.80',
        before: dropTarget,
        floor: async () => {
          const out = path.join(directory, 'joined.csv');
          await floors.duck(
            `copy (select c.country, o.status, count(*) as orders, sum(o.price) as revenue from read_parquet('${directory}/orders/*.parquet') o join read_parquet('${directory}/customers/*.parquet') c on o.customer_id = c.id group by all) to '${out}' (header)`,
          );
          await floors.sql(
            'drop table if exists floor; create table floor (country text, status text, orders bigint, revenue numeric)',
          );
          await floors.fromCsv(out, 'floor');
        },
        graph: {
          nodes: [
            {
              id: 'orders',
              type: 'source.files',
              config: { connectionId: files, path: 'orders/*.parquet' },
            },
            {
              id: 'customers',
              type: 'source.files',
              config: { connectionId: files, path: 'customers/*.parquet' },
            },
            {
              id: 'join',
              type: 'transform.join',
              config: { kind: 'inner', on: [{ left: 'customer_id', right: 'id' }] },
            },
            {
              id: 'sum',
              type: 'transform.aggregate',
              config: {
                groupBy: ['country', 'status'],
                aggregates: [
                  { name: 'orders', expression: 'count(*)' },
                  { name: 'revenue', expression: 'sum(price)' },
                ],
              },
            },
            table('target'),
          ],
          edges: [
            { id: 'l', source: 'orders', target: 'join', targetPort: 'left' },
            { id: 'r', source: 'customers', target: 'join', targetPort: 'right' },
            { id: 's', source: 'join', target: 'sum' },
            { id: 't', source: 'sum', target: 'table' },
          ],
        },
        check: async () => {
          const sql =
            'select (select count(*) from floor) as floor, (select count(*) from target) as ours';
          const [found] = (await db.query(sql)).rows;
          if (found.floor !== found.ours) throw new Error(`join: ${JSON.stringify(found)}`);
        },
      },
    };

    const wantedCases = (process.env.FLX_BENCH_CASES ?? Object.keys(cases).join()).split(',');
    const csvFile = path.join(directory, 'source.csv');
    const csvRows = Math.round(rows * 1.9);
    if (wantedCases.some((name) => name.startsWith('csv'))) {
      await db.query(`${tableSql('wide')}; ${fillSql('wide', csvRows)}`);
      execFileSync('psql', [
        '-X',
        '-q',
        url.href,
        '-c',
        `\\copy wide to ${csvFile} (format csv, header)`,
      ]);
      await db.query('drop table wide');
      const { size } = await stat(csvFile);
      for (const name of ['csvIn', 'csvParquet']) {
        cases[name].count = csvRows;
        cases[name].what += ` (${(size / 1e9).toFixed(2)} GB)`;
      }
      cases.csvIn.check = counted('target', csvRows);
    }
    if (wantedCases.includes('upsert')) {
      await db.query(
        `${tableSql('changes')}; ${fillSql('changes', rows / 2, rows - rows / 4 + 1)}`,
      );
      await db.query('vacuum analyze changes');
    }
    if (wantedCases.includes('join')) {
      for (const [from, folder] of [
        ['source', 'orders'],
        ['customers', 'customers'],
      ]) {
        const run = await pipeline(
          `write ${folder}`,
          ...Object.values(chain(source(from), parquet(folder))),
        );
        await run();
      }
    }
    for (const name of wantedCases) if (cases[name]) await measure(cases[name]);

    if (wantedCases.includes('memory') || !process.env.FLX_BENCH_CASES) {
      results.push(...(await memory({ stage, db, pipeline, source, table, derived, chain })));
    }
    return results;
  } finally {
    await db.end();
    await rm(directory, { recursive: true, force: true });
  }
}
