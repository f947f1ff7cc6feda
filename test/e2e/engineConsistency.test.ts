import { Client } from 'pg';
import { stopChildren } from '../support/processes.js';
import { query, startService } from '../support/service.js';
import type { Service } from '../support/service.js';
import { waitFor } from '../support/wait.js';
import { workbench } from './support/graphs.js';
import type { Workbench } from './support/graphs.js';
import { untilCommitted } from './support/progress.js';
import { seeded, testSeed } from './support/seeded.js';

const rows = 60_000;

let service: Service;
let bench: Workbench;
let url: string;

beforeAll(async () => {
  service = await startService({ FLX_SPLIT_BYTES: '400000' });
  bench = await workbench(service);
  url = service.target.url;
});

afterAll(async () => {
  await stopChildren();
  await service.drop();
});

const makeAccounts = (): Promise<unknown> =>
  query(
    url,
    `drop table if exists accounts, history, copy;
     drop schema if exists _fluxline cascade;
     create table accounts (id bigint primary key, balance bigint, seq bigint, filler text)
       with (fillfactor = 100);
     insert into accounts select n, 100, 0, repeat('x', 60) from generate_series(1, ${rows}) n;
     create table history as select id, balance, seq from accounts;
     analyze accounts`,
  );

/**
 * Moves money between accounts, makes rows longer (which moves them to other pages) and opens
 * accounts, one transaction after the other, each numbered and written down in `history`.
 */
const startWriter = async (seed: number) => {
  const random = seeded(seed);
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  await client.connect();
  let seq = 0;
  let accounts = rows;
  const stopping = new AbortController();
  const transact = async (): Promise<void> => {
    seq += 1;
    const opens = random.below(4) === 0;
    if (opens) accounts += 1;
    const one = 1 + random.below(rows);
    const change = opens
      ? `insert into accounts values (${accounts}, 0, ${seq}, '')`
      : `update accounts set seq = ${seq}, filler = filler || repeat('y', ${random.below(80)}),
           balance = balance + case when id = ${one} then -1 else 1 end
          where id in (${one}, ${1 + (one % rows)})`;
    await client.query(
      `with changed as (${change} returning id, balance, seq) insert into history select * from changed`,
    );
  };
  const working = (async () => {
    while (!stopping.signal.aborted) await transact();
  })();
  return {
    transactions: () => seq,
    stop: async () => {
      stopping.abort();
      await working;
      await client.end();
    },
  };
};

const single = async (sql: string): Promise<Record<string, unknown>> =>
  (await query<Record<string, unknown>>(url, sql))[0] ?? {};

describe.each([
  ['snapshot', false],
  ['snapshot', true],
  ['per_row', false],
  ['per_row', true],
])('consistency %s, a worker killed: %s', (consistency, kill) => {
  test(`rows change, move and come while they are read (seed ${testSeed})`, async () => {
    await makeAccounts();
    const worker = await service.startWorker();
    const pipelineId = await bench.pipeline([
      bench.source('accounts', { consistency, columns: ['id', 'balance', 'seq'] }),
      bench.destination('copy', 'append'),
    ]);
    const writer = await startWriter(testSeed);
    await waitFor(() => writer.transactions() > 20, { timeoutMs: 30_000, what: 'the writer' });
    const runId = await service.start(pipelineId);
    await untilCommitted(service, runId, 0.3);
    const during = writer.transactions();
    if (kill) await worker.kill('SIGKILL');
    const second = kill ? await service.startWorker() : worker;
    const run = await service.ended(runId, 120_000);
    await writer.stop();
    expect(run).toMatchObject({ status: 'succeeded', error: null });
    expect(during).toBeGreaterThan(20);
    expect(writer.transactions()).toBeGreaterThan(during);

    expect(
      await single(
        `select count(*) - count(distinct id) as twice,
                (select count(*) from generate_series(1, ${rows}) n
                  where not exists (select from copy where id = n)) as missing from copy`,
      ),
    ).toEqual({ twice: '0', missing: '0' });
    // Whatever was copied was true at some moment.
    expect(
      await single(
        `select count(*) as invented from copy c where not exists (
           select from history h where (h.id, h.balance, h.seq) = (c.id, c.balance, c.seq))`,
      ),
    ).toEqual({ invented: '0' });
    if (consistency === 'snapshot') {
      expect(
        await single(
          `with moment as (select max(seq) as seq from copy), state as (
             select distinct on (id) id, balance, seq from history
              where seq <= (select seq from moment) order by id, seq desc)
           select (select count(*) from (table state except all table copy) a) as missing,
                  (select count(*) from (table copy except all table state) b) as extra`,
        ),
      ).toEqual({ missing: '0', extra: '0' });
    }
    await second.stop();
  });
});
