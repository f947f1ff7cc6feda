import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stopChildren } from '../support/processes.js';
import { ok, query, startService } from '../support/service.js';
import type { RunBody, Service } from '../support/service.js';
import { difference, inARow, makeOrders, same, workbench } from './support/graphs.js';
import type { Edge, Node, Workbench } from './support/graphs.js';

const rows = 20_000;

let service: Service;
let bench: Workbench;
let url: string;
let directory: string;
let files: string;

beforeAll(async () => {
  service = await startService({ FLX_SPLIT_BYTES: '200000' });
  await service.startWorker();
  bench = await workbench(service);
  url = service.target.url;
  directory = await mkdtemp(join(tmpdir(), 'fluxline-e2e-'));
  files = await bench.connect('local', { directory });
  await makeOrders(url, 'orders', rows);
  await query(
    url,
    `create table customers as
       select 'customer ' || n as name, 'country ' || n % 7 as country from generate_series(0, 899) n`,
  );
  await query(url, 'vacuum analyze');
});

afterAll(async () => {
  await stopChildren();
  await service.drop();
  await rm(directory, { recursive: true, force: true });
});

const run = async (nodes: Node[], edges?: Edge[]): Promise<RunBody> =>
  service.ended(await service.start(await bench.pipeline(nodes, edges)), 120_000);

const logOf = async ({ id }: RunBody): Promise<string> => {
  const { lines } = await ok(
    service.call<{ lines: { message: string }[] }>('GET', `/api/runs/${id}/logs`),
  );
  return lines.map(({ message }) => message).join('\n');
};

const filter = (where: string): Node => ({
  id: 'filter',
  type: 'transform.filter',
  config: { where },
});

const derive = (name: string, expression: string): Node => ({
  id: 'derive',
  type: 'transform.derive',
  config: { columns: [{ name, expression }] },
});

test('what PostgreSQL can do it does itself, what only DuckDB can goes through DuckDB', async () => {
  for (const [target, expression, way] of [
    ['pushed', 'id * 2', 'transforms pushed into the source'],
    // The filter is pushed all the same.
    ['through', "id * 2 + 0 * levenshtein(customer, 'x')", 'through DuckDB, transforms pushed'],
  ] as const) {
    const done = await run([
      bench.source('orders'),
      filter('id > 100'),
      derive('twice', expression),
      bench.destination(target, 'append'),
    ]);
    expect(done).toMatchObject({ status: 'succeeded', error: null });
    expect(done.metrics.rowsWritten).toBe(rows - 100);
    expect(await logOf(done)).toContain(way);
    await query(
      url,
      `drop table if exists wanted;
       create table wanted as select *, id * 2 as twice from orders where id > 100`,
    );
    expect(await difference(url, 'wanted', target)).toEqual(same);
  }
});

test('a join and an aggregate over two tables', async () => {
  const nodes: Node[] = [
    { ...bench.source('orders'), id: 'orders' },
    { ...bench.source('customers'), id: 'customers' },
    {
      id: 'join',
      type: 'transform.join',
      config: { kind: 'left', on: [{ left: 'customer', right: 'name' }] },
    },
    {
      id: 'sum',
      type: 'transform.aggregate',
      config: {
        groupBy: ['country'],
        aggregates: [
          { name: 'orders', expression: 'count(*)' },
          { name: 'amount', expression: 'sum(amount)' },
        ],
      },
    },
    bench.destination('per_country', 'replace'),
  ];
  const edges: Edge[] = [
    { source: 'orders', target: 'join', targetPort: 'left' },
    { source: 'customers', target: 'join', targetPort: 'right' },
    { source: 'join', target: 'sum' },
    { source: 'sum', target: 'destination' },
  ];
  const done = await run(nodes, edges);
  expect(done).toMatchObject({ status: 'succeeded', error: null });
  await query(
    url,
    `create table per_country_wanted as
       select country, count(*) as orders, sum(amount) as amount
         from orders left join customers on customer = name group by country`,
  );
  expect(await difference(url, 'per_country_wanted', 'per_country')).toEqual(same);
  expect(done.metrics.rowsRead).toBe(rows + 900);
  expect(done.metrics.rowsWritten).toBe(8);
  // What the stages handed to each other is gone.
  const staged = join(service.settings['FLX_DATA_DIR'] ?? '', 'staging', 'jobs');
  const left = await readdir(staged, { recursive: true, withFileTypes: true }).catch(() => []);
  expect(left.filter((entry) => entry.isFile())).toEqual([]);
});

test('one source, several destinations: all of them have the same rows', async () => {
  const nodes: Node[] = [
    bench.source('orders'),
    { ...bench.destination('copy_one', 'append'), id: 'one' },
    filter('paid'),
    { ...bench.destination('copy_two', 'append'), id: 'two' },
  ];
  const edges: Edge[] = [
    { source: 'source', target: 'one' },
    { source: 'source', target: 'filter' },
    { source: 'filter', target: 'two' },
  ];
  expect(await run(nodes, edges)).toMatchObject({
    status: 'succeeded',
    error: null,
    metrics: { rowsRead: rows },
  });
  expect(await difference(url, 'orders', 'copy_one')).toEqual(same);
  await query(url, 'create table paid_wanted as select * from orders where paid');
  expect(await difference(url, 'paid_wanted', 'copy_two')).toEqual(same);
});

test('a query that PostgreSQL runs over its own tables', async () => {
  const sql = `select country, count(*) as orders from o join c on o.customer = c.name group by 1`;
  const nodes: Node[] = [
    { ...bench.source('orders'), id: 'o' },
    { ...bench.source('customers'), id: 'c' },
    { id: 'sql', type: 'transform.sql', config: { sql, connectionId: bench.database } },
    bench.destination('by_sql', 'append'),
  ];
  const edges: Edge[] = [
    { source: 'o', target: 'sql' },
    { source: 'c', target: 'sql' },
    { source: 'sql', target: 'destination' },
  ];
  expect(await run(nodes, edges)).toMatchObject({ status: 'succeeded', error: null });
  const [counted] = await query<{ orders: string }>(
    url,
    'select sum(orders) as orders from by_sql',
  );
  expect(Number(counted?.orders)).toBe(rows * 0.9);
});

describe('files', () => {
  test.each(['parquet', 'csv', 'jsonl', 'json'])('a table to %s and back', async (format) => {
    const path = `out/${format}`;
    const there: Node = {
      id: 'files',
      type: 'destination.files',
      config: { connectionId: files, path, format },
    };
    const first = await run([bench.source('orders'), there]);
    expect(first).toMatchObject({ status: 'succeeded', error: null });
    expect((await readdir(join(directory, path))).length).toBeGreaterThan(1);
    const back: Node = {
      id: 'files',
      type: 'source.files',
      config: { connectionId: files, path: `${path}/*.${format}` },
    };
    const table = `from_${format}`;
    await query(url, `create table ${table} (like orders)`);
    const second = await run([back, bench.destination(table, 'append')]);
    expect(second).toMatchObject({ status: 'succeeded', error: null });
    expect(second.metrics.rowsRead).toBe(rows);
    expect(await difference(url, 'orders', table)).toEqual(same);
  });

  test('rows that are malformed or do not fit become dead letters, the rest arrives', async () => {
    await mkdir(join(directory, 'bad'), { recursive: true });
    const lines = Array.from({ length: 2_000 }, (_, n) => `${n},note ${n}`);
    lines[500] = '500,too,many';
    lines[1000] = 'word,not a number';
    await writeFile(join(directory, 'bad/rows.csv'), `id,note\n${lines.join('\n')}\n`);
    const source: Node = {
      id: 'source',
      type: 'source.files',
      config: {
        connectionId: files,
        path: 'bad/rows.csv',
        options: {
          header: true,
          columns: [
            { name: 'id', type: 'integer' },
            { name: 'note', type: 'text' },
          ],
        },
      },
    };
    const strict = await run([source, bench.destination('strict_rows', 'append')]);
    expect(strict).toMatchObject({ status: 'failed' });
    const done = await run([source, bench.destination('good_rows', 'append', { maxErrors: 2 })]);
    expect(done).toMatchObject({
      status: 'succeeded',
      metrics: { rowsRead: 2_000, rowsWritten: 1_998, rowsFailed: 2 },
    });
    const letters = await query(
      service.metadata.url,
      'select node_id, code from dead_letters where job_id = $1 and visible order by node_id',
      [done.id],
    );
    expect(letters).toEqual([
      { node_id: 'destination', code: 'malformed' },
      { node_id: 'source', code: 'malformed' },
    ]);
  });

  test('paths that lead out are refused', async () => {
    const connection = await bench.connect('local', { directory: '/etc' });
    const outside = await run([
      { id: 'source', type: 'source.files', config: { connectionId: connection, path: '*.conf' } },
      bench.destination('conf', 'append'),
    ]);
    expect(outside).toMatchObject({ status: 'failed', error: { code: 'config_invalid' } });
    expect(outside.error?.message).toContain('FLX_LOCAL_DIRECTORIES');
  });
});

test('rules turn rows away, fail the run, or only warn', async () => {
  const rules = (onFailure: string): Node => ({
    id: 'rules',
    type: 'transform.validate',
    config: { rules: [{ id: 'has a note', expression: 'note is not null' }], onFailure },
  });
  const nodes = (onFailure: string): Node[] => [
    bench.source('orders'),
    rules(onFailure),
    bench.destination(`rules_${onFailure}`, 'append'),
  ];
  const aside = await run(nodes('dlq'));
  expect(aside).toMatchObject({
    status: 'succeeded',
    error: null,
    metrics: { rowsWritten: rows * 0.75, rowsFailed: rows * 0.25 },
  });
  expect(await run(nodes('warn'))).toMatchObject({
    status: 'succeeded',
    metrics: { rowsWritten: rows, rowsFailed: 0 },
  });
  const failed = await run(nodes('fail'));
  expect(failed).toMatchObject({
    status: 'failed',
    error: { code: 'contract_violation', nodeId: 'rules' },
  });
  expect(failed.error?.message).toContain('has a note');
});

test('a row for which an expression fails is set aside, or fails the run by itself', async () => {
  const nodes = (maxErrors: number): Node[] => [
    bench.source('orders', { columns: ['id', 'customer'] }),
    derive('number', "cast(case when id = 777 then 'x' else '1' end as integer)"),
    bench.destination(`numbers_${maxErrors}`, 'append', { maxErrors }),
  ];
  const failed = await run(nodes(0));
  expect(failed).toMatchObject({
    status: 'failed',
    error: { code: 'expression_error', nodeId: 'derive' },
  });
  expect(await run(nodes(1))).toMatchObject({
    status: 'succeeded',
    metrics: { rowsWritten: rows - 1, rowsFailed: 1 },
  });
});

test('only what is new is read, and a failed run is read again', async () => {
  await query(url, 'create table growing as select * from orders where id <= 1000');
  const nodes = [
    bench.source('growing', { incremental: { cursorColumn: 'id' } }),
    bench.destination('grown', 'append'),
  ];
  const pipelineId = await bench.pipeline(nodes);
  const next = async (): Promise<RunBody> => service.ended(await service.start(pipelineId));
  expect(await next()).toMatchObject({ status: 'succeeded', metrics: { rowsWritten: 1000 } });
  expect(await next()).toMatchObject({ status: 'succeeded', metrics: { rowsWritten: 0 } });
  await query(url, 'insert into growing select * from orders where id between 1001 and 1500');
  await query(url, 'alter table grown add constraint small check (id < 1400)');
  expect(await next()).toMatchObject({ status: 'failed' });
  await query(url, 'alter table grown drop constraint small');
  expect(await next()).toMatchObject({ status: 'succeeded', metrics: { rowsWritten: 500 } });
  await query(url, 'create table grown_wanted as select * from orders where id <= 1500');
  expect(await difference(url, 'grown_wanted', 'grown')).toEqual(same);
  // From the beginning again: by a flag of the run, or beforehand.
  const flagged = await service.start(pipelineId, { reset: true });
  expect(await service.ended(flagged)).toMatchObject({ metrics: { rowsWritten: 1500 } });
  const reset = await ok(service.call('POST', `/api/pipelines/${pipelineId}/reset`));
  expect(reset).toEqual({ id: pipelineId, cursors: 1 });
  expect(await next()).toMatchObject({ metrics: { rowsWritten: 1500 } });
});

describe('expressions are bound before they run', () => {
  const broken = (): Node[] => [
    bench.source('orders'),
    filter('no_such_column > 1'),
    bench.destination('never', 'append'),
  ];

  test('activation and run refuse what means nothing, with the place', async () => {
    const id = await bench.pipeline(broken());
    for (const refused of [
      await service.call<{ errors: { pointer: string; message: string }[] }>(
        'PATCH',
        `/api/pipelines/${id}/status`,
        { status: 'active' },
      ),
      await service.call<{ errors: { pointer: string; message: string }[] }>(
        'POST',
        `/api/pipelines/${id}/run`,
      ),
    ]) {
      expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_graph' } });
      expect(refused.body.errors[0]?.pointer).toBe('/nodes/1');
      expect(refused.body.errors[0]?.message).toContain('no column no_such_column');
    }
  });

  test('saving warns of what is not even SQL, with line and column', async () => {
    const nodes = [
      bench.source('orders'),
      filter('id >\n  (1 +'),
      bench.destination('x', 'append'),
    ];
    const saved = await ok(
      service.call<{ warnings: { pointer: string; message: string }[] }>(
        'PUT',
        `/api/pipelines/${await bench.pipeline(nodes)}`,
        {
          nodes: [...nodes],
          edges: inARow(...nodes).map((edge, at) => ({ id: `e${at}`, ...edge })),
        },
      ),
    );
    expect(saved.warnings).toMatchObject([{ pointer: '/nodes/1/config/where' }]);
    expect(saved.warnings[0]?.message).toMatch(/line 2, column \d+/);
  });
});
