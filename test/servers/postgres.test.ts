import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { Client } from 'pg';
import {
  freePort,
  processExists,
  reachableDirectory,
  startOwnServer,
} from '../support/processes.js';
import { waitFor } from '../support/wait.js';

type Own = Awaited<ReturnType<typeof startOwnServer<'postgres'>>>;

let server: Own;

beforeAll(async () => {
  server = await startOwnServer('postgres', { port: await freePort() });
});
afterAll(async () => server.remove());

/** Starts a server on the first one's directory again. */
const startAgain = (): Promise<Own> =>
  startOwnServer('postgres', {
    directory: server.ready.pgdata,
    passwordFile: `${path.join(server.directory, 'postgres')}.password`,
    pointerFile: `${path.join(server.directory, 'postgres')}.pointer`,
  });

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  client.on('error', () => undefined); // a lost connection fails the query as well
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(text);
    return rows.map((row) => Object.values(row)[0]);
  } finally {
    await client.end();
  }
}

const failure = (start: Promise<unknown>): Promise<string> =>
  start.then(
    () => 'it started',
    (error: unknown) => (error as Error).message,
  );

test('runs as asked: logical WAL, room for many, one address, passwords always', async () => {
  const { adminUrl, pid } = server.ready;
  expect(await query(adminUrl, 'SHOW wal_level')).toEqual(['logical']);
  expect(await query(adminUrl, 'SHOW max_connections')).toEqual(['200']);
  expect(await query(adminUrl, 'SHOW listen_addresses')).toEqual(['127.0.0.1']);
  expect(await query(adminUrl, 'SHOW fsync')).toEqual(['off']);
  expect(await query(adminUrl, 'SHOW server_version_num')).toEqual([expect.stringMatching(/^18/)]);
  expect(await query(adminUrl, 'SELECT DISTINCT auth_method FROM pg_hba_file_rules')).toEqual([
    'scram-sha-256',
  ]);
  const wrong = new URL(adminUrl);
  wrong.password = 'wrong';
  await expect(query(wrong.href, 'SELECT 1')).rejects.toThrow(/password authentication failed/);
  expect(await processExists(pid)).toBe(true);
});

test('a second server on its port is refused in one line', async () => {
  const port = server.ready.port;
  expect(await failure(startOwnServer('postgres', { port }))).toBe(
    `Port ${port} is in use; choose another for PostgreSQL.`,
  );
});

test('a port taken by anything else is refused in the same way', async () => {
  const squatter = createServer();
  const port = await new Promise<number>((resolve) => {
    squatter.listen(0, '127.0.0.1', () => resolve((squatter.address() as { port: number }).port));
  });
  const message = await failure(startOwnServer('postgres', { port }));
  await new Promise((resolve) => squatter.close(resolve));
  expect(message).toBe(`Port ${port} is in use; choose another for PostgreSQL.`);
});

test('after SIGKILL of the server, the next one on its directory has what was committed', async () => {
  await query(server.ready.adminUrl, 'CREATE TABLE kept AS SELECT 7 AS seven');
  // A session that computes does not notice that its server is gone, and blocks the next one.
  const busy = query(server.ready.adminUrl, 'SELECT count(*) FROM generate_series(1, 10000000000)');
  const abandoned = expect(busy).rejects.toThrow();
  await waitFor(
    async () =>
      (
        await query(
          server.ready.adminUrl,
          "SELECT 1 FROM pg_stat_activity WHERE query LIKE 'SELECT count%'",
        )
      ).length > 0,
    { timeoutMs: 10_000, what: 'the session to compute' },
  );
  process.kill(server.ready.pid, 'SIGKILL');
  await server.exited; // its keeper notices and ends, too
  const next = await startAgain();
  await abandoned;
  expect(await query(next.ready.adminUrl, 'SELECT seven FROM kept')).toEqual([7]);
  await next.remove();
});

test('a server whose keeper was killed is stopped by the next start', async () => {
  const orphaned = await startAgain();
  process.kill(orphaned.keeperPid, 'SIGKILL');
  await orphaned.exited;
  expect(await processExists(orphaned.ready.pid)).toBe(true);
  const next = await startAgain();
  expect(await processExists(orphaned.ready.pid)).toBe(false);
  expect(await query(next.ready.adminUrl, 'SELECT seven FROM kept')).toEqual([7]);
  await Promise.all([orphaned.remove(), next.remove()]);
});

test('a postmaster.pid that names somebody else by now is cleared away, not obeyed', async () => {
  const file = path.join(server.ready.pgdata, 'postmaster.pid');
  writeFileSync(file, `${process.pid}\n${server.ready.pgdata}\n`);
  const next = await startAgain();
  expect(readFileSync(file, 'utf8').split('\n')[0]).toBe(String(next.ready.pid));
  await next.remove();
});

test('closing its input ends the server', async () => {
  const next = await startAgain();
  await next.stop();
  await waitFor(async () => !(await processExists(next.ready.pid)), {
    timeoutMs: 10_000,
    what: 'the server to end',
  });
  expect(existsSync(path.join(server.ready.pgdata, 'postmaster.pid'))).toBe(false);
  await next.remove();
});

describe('a directory that cannot be used', () => {
  let home: string;
  beforeAll(() => {
    home = reachableDirectory();
  });
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  const startIn = (name: string, files: Record<string, string>): Promise<string> => {
    const directory = path.join(home, name);
    mkdirSync(path.join(directory, 'global'), { recursive: true });
    for (const [file, text] of Object.entries(files))
      writeFileSync(path.join(directory, file), text);
    return failure(startOwnServer('postgres', { directory }));
  };

  test('files that are not a database', async () => {
    expect(await startIn('foreign', { 'letter.txt': 'Dear' })).toMatch(
      /foreign is not a complete PostgreSQL directory: restore it from a backup, or move it away/,
    );
  });

  test('half a database', async () => {
    expect(await startIn('half', { PG_VERSION: '18\n' })).toMatch(/not a complete PostgreSQL/);
  });

  test('another major version', async () => {
    const files = { PG_VERSION: '17\n', 'global/pg_control': '' };
    expect(await startIn('older', files)).toMatch(/was made by PostgreSQL 17, this is 18: dump it/);
  });

  test('a database whose password is lost', async () => {
    const files = { PG_VERSION: '18\n', 'global/pg_control': '' };
    expect(await startIn('locked', files)).toMatch(/locked\.password .* is missing; put it back/);
  });
});

test('what a killed initdb left is removed, and nothing else', async () => {
  const home = reachableDirectory();
  mkdirSync(path.join(home, 'postgres.new-0a1b2c3d', 'base'), { recursive: true });
  const fresh = await startOwnServer('postgres', { directory: path.join(home, 'postgres') });
  expect(readdirSync(home).sort()).toEqual(['postgres', 'postgres.password', 'postgres.pointer']);
  await fresh.remove();
  rmSync(home, { recursive: true, force: true });
});
