/** Live calls the whole way: API, Temporal, worker, a real database, and back. */
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Client as TemporalClient, Connection } from '@temporalio/client';
import { startOwnServer, stopChildren } from '../support/processes.js';
import { ok, query, startService } from '../support/service.js';
import type { Service } from '../support/service.js';
import { TEST_API_KEY } from '../support/fixed.js';
import { waitFor } from '../support/wait.js';

type OwnTemporal = Awaited<ReturnType<typeof startOwnServer<'temporal'>>>;

let temporal: OwnTemporal;
let service: Service;
let config: object;
let connectionId: string;

/** Everything that Temporal has written down: its database and the log in front of it. */
const writtenDown = (): Buffer => {
  const files = readdirSync(temporal.directory).filter((name) => name.startsWith('temporal.db'));
  expect(files).toContain('temporal.db');
  return Buffer.concat(files.map((name) => readFileSync(path.join(temporal.directory, name))));
};

const forms = (text: string): string[] => [
  text,
  ...[0, 1, 2].map((shift) =>
    Buffer.from('x'.repeat(shift) + text)
      .toString('base64')
      .slice(4, -4),
  ),
];

const isThere = (text: string): boolean => {
  const all = writtenDown();
  return forms(text).some((form) => all.includes(form));
};

beforeAll(async () => {
  temporal = await startOwnServer('temporal');
  service = await startService({ TEMPORAL_ADDRESS: temporal.ready.address });
  const { hostname, port, username, password, pathname } = new URL(service.target.url);
  config = {
    host: hostname,
    port: Number(port),
    database: pathname.slice(1),
    user: username,
    password,
  };
  const body = { name: 'live', type: 'postgres', config };
  connectionId = (await ok(service.call<{ id: string }>('POST', '/api/connections', body))).id;
  await query(
    service.target.url,
    `create table planted as select 'canary-row-2718281828' as note;
     create view slow as select pg_sleep(300)::text as never`,
  );
});

afterAll(async () => {
  await stopChildren();
  await service.drop();
  await temporal.remove();
});

const at = (rest: string): string => `/api/connections/${connectionId}/${rest}`;

test('without a worker a call is refused, and not waited for', async () => {
  const answer = await service.call<{ code: string }>('GET', at('tables'));
  expect(answer).toMatchObject({ status: 503, body: { code: 'no_worker' } });
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  await service.startWorker();
  expect((await service.call('GET', at('tables'))).status).toBe(200);
});

test('no secret and no row of a user gets into Temporal', async () => {
  const { call } = service;
  const wrong = { ...config, user: 'nobody', password: 'canary-password-3141592653' };
  const tested = await ok(
    call<{ ok: boolean; code: string }>('POST', '/api/connections/test', {
      type: 'postgres',
      config: wrong,
    }),
  );
  expect(tested).toMatchObject({ ok: false, code: 'login_refused' });
  const shown = await ok(call<{ rows: string[][] }>('GET', at('preview?table=planted')));
  expect(shown.rows).toEqual([['canary-row-2718281828']]);
  const directory = path.join(temporal.directory, 'files');
  mkdirSync(directory);
  writeFileSync(path.join(directory, 'a.csv'), 'column\ncanary-file-1414213562\n');
  const { id } = await ok(
    call<{ id: string }>('POST', '/api/connections', {
      name: 'files',
      type: 'local',
      config: { directory },
    }),
  );
  const file = await ok(
    call<{ rows: string[][] }>('GET', `/api/connections/${id}/preview?table=a.csv`),
  );
  expect(file.rows).toEqual([['canary-file-1414213562']]);

  const connection = await Connection.connect({ address: temporal.ready.address });
  try {
    // What is planted in a memo is found: the search would find the others, too.
    await new TemporalClient({ connection }).workflow.start('nobody', {
      workflowId: 'control',
      taskQueue: 'nobody',
      memo: { planted: 'canary-memo-1618033988' },
    });
  } finally {
    await connection.close();
  }
  await waitFor(() => isThere('canary-memo-1618033988'), {
    timeoutMs: 20_000,
    what: 'the memo to be written down',
  });
  const { password } = config as { password: string };
  const planted = ['canary-password-3141592653', 'canary-row-2718281828', 'canary-file-1414213562'];
  expect([...planted, password].filter(isThere)).toEqual([]);
  const left = await query<{ n: string }>(
    service.metadata.url,
    'select (select count(*) from live_inputs) + (select count(*) from live_results) as n',
  );
  expect(left).toEqual([{ n: '0' }]);
});

test('a client that hangs up ends the query it waited for', async () => {
  const asleep = async (): Promise<number> =>
    (
      await query(
        service.target.url,
        `select 1 from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`,
      )
    ).length;
  const client = new AbortController();
  const answer = fetch(service.api.url + at('preview?table=slow'), {
    headers: { authorization: `Bearer ${TEST_API_KEY}` },
    signal: client.signal,
  });
  answer.catch(() => undefined);
  await waitFor(async () => (await asleep()) === 1, {
    timeoutMs: 30_000,
    what: 'the query to run',
  });
  client.abort();
  // The worker hears of it with a heartbeat; by its own limit the query would end after 20 s.
  await waitFor(async () => (await asleep()) === 0, {
    timeoutMs: 15_000,
    what: 'the query to end',
  });
  await expect(answer).rejects.toThrow(/abort/i);
});

test('50,000 tables are listed, searched and paged', async () => {
  const [columns] = await query<{ names: string[] }>(
    service.target.url,
    `select array_agg(attname::text order by attnum) as names from pg_attribute
      where attrelid = 'pg_class'::regclass and attnum > 0`,
  );
  const own: Readonly<Record<string, string>> = {
    oid: '1000000 + i',
    relname: `'table_' || lpad(i::text, 5, '0')`,
    relnamespace: `'many'::regnamespace`,
    reltype: '0',
    relfilenode: '0',
  };
  const values = (columns?.names ?? []).map((name) => own[name] ?? name).join(', ');
  // Entries of the catalog are quicker to make than tables, and listing looks at nothing else.
  await query(
    service.target.url,
    `create schema many;
     create table many.pattern (id integer);
     set allow_system_table_mods = on;
     insert into pg_class select ${values} from pg_class, generate_series(1, 50000) i
       where relname = 'pattern'`,
  );
  interface Page {
    tables: { name: string }[];
    nextCursor: string | null;
  }
  const seen: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const more: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const page: Page = await ok(service.call<Page>('GET', at(`tables?schema=many${more}`)));
    expect(page.tables.length).toBeLessThanOrEqual(10_000);
    seen.push(...page.tables.map(({ name }) => name));
    cursor = page.nextCursor;
  }
  expect(new Set(seen).size).toBe(50_001);
  expect(seen).toHaveLength(50_001);
  const found = await ok(
    service.call<Page>('GET', at('tables?schema=many&search=TABLE_4999&limit=3')),
  );
  expect(found.tables.map(({ name }) => name)).toEqual([
    'table_49990',
    'table_49991',
    'table_49992',
  ]);
  expect(found.nextCursor).not.toBeNull();
});
