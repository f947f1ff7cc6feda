import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isDataError } from '../../../engine/duckdb/failure.js';
import type { DuckDbSettings } from '../../../engine/duckdb/pool.js';
import type { DuckDb, DuckResult } from '../../../engine/duckdb/program.js';
import { runModule } from '../../support/runModule.js';
import { processExists } from '../../support/processes.js';
import { waitFor } from '../../support/wait.js';
import { childFile, makeScratch, openDuckDb } from './opened.js';
import type { Scratch } from './opened.js';

let scratch: Scratch;
let inside: string;
let duck: DuckDb;

beforeAll(() => {
  duck = openDuckDb();
});

afterAll(() => duck.close());

beforeEach(async () => {
  scratch = await makeScratch();
  inside = path.join(scratch.directory, 'inside');
  await mkdir(inside);
});

afterEach(() => scratch.remove());

/** For the rest of a test, one that is set otherwise. */
const reopen = async (settings: Partial<DuckDbSettings> = {}): Promise<void> => {
  await duck.close();
  duck = openDuckDb(settings);
};

const forever = new AbortController().signal;

const run = (
  sql: string | readonly string[],
  { signal = forever, reads = [] }: { signal?: AbortSignal; reads?: readonly string[] } = {},
): Promise<readonly DuckResult[]> =>
  duck.run(
    { directory: inside, reads, statements: [sql].flat().map((text) => ({ sql: text })) },
    signal,
  );

const failureOf = async (ran: Promise<unknown>): Promise<unknown> =>
  ran.then(
    () => 'it went well',
    (error: unknown) => (error as { failure?: unknown }).failure ?? error,
  );

const expectWorking = async (): Promise<void> => {
  expect(await run('SELECT 42')).toEqual([{ rows: [[42]], changed: 0 }]);
};

const endless = 'SELECT count(*) FROM range(1000000) a, range(1000000) b, range(1000000) c';

/** The processes in which this one runs programs. */
const childPids = (): Promise<number[]> =>
  runModule<number[]>(
    `const { readdirSync, readFileSync } = await import('node:fs');
    const read = (file) => { try { return readFileSync(file, 'utf8'); } catch { return ''; } };
    return readdirSync('/proc').filter((name) => /^\\d+$/.test(name)).map(Number).filter((pid) => {
      const parent = /^PPid:\\s+(\\d+)$/m.exec(read('/proc/' + pid + '/status'))?.[1];
      return Number(parent) === args.parent && read('/proc/' + pid + '/cmdline').split('\\0')[1] === args.file;
    });`,
    { parent: process.pid, file: childFile },
  );

it('gives rows as JSON has them, and what a COPY wrote', async () => {
  const [one, two] = await run([
    `SELECT 1, 9007199254740991, 9007199254740993, 'NaN'::DOUBLE, DATE '2024-01-01', NULL,
            1.10::DECIMAL(5, 2), [1, 2::BIGINT], true`,
    `COPY (SELECT * FROM range(5)) TO '${inside}/five.csv'`,
  ]);
  expect(one?.rows).toEqual([
    [1, 9007199254740991, '9007199254740993', 'NaN', '2024-01-01', null, '1.10', [1, 2], true],
  ]);
  expect(two?.changed).toBe(5);
});

it('binds values, and cuts results', async () => {
  await reopen({ maxRows: 3 });
  const statements = [{ sql: 'SELECT ? || range FROM range(10)', values: ["it's"] }];
  const [result] = await duck.run({ directory: inside, reads: [], statements }, forever);
  expect(result?.rows).toEqual([["it's0"], ["it's1"], ["it's2"]]);
  await reopen();
});

it('starts every program with an empty database', async () => {
  await run('CREATE TABLE kept AS SELECT 1');
  expect(await failureOf(run('SELECT * FROM kept'))).toMatchObject({ class: 'config' });
});

it('tells faults of rows from faults of statements, and shows no values', async () => {
  const secret = "'s3cret-value'";
  for (const sql of [
    `SELECT CAST(${secret} || range AS INTEGER) FROM range(3)`,
    `SELECT error(${secret} || range) FROM range(3)`,
    'SELECT (range + 200)::TINYINT FROM range(3)',
    'SELECT (range + 2147483647)::INTEGER * 12345 FROM range(3)',
  ]) {
    const error: unknown = await run(sql).catch((reason: unknown) => reason);
    expect(isDataError(error)).toBe(true);
    expect((error as Error).message).not.toMatch(/s3cret|200|12345/);
  }
  for (const sql of ['SELECT nothing', 'SELECT nothing()', 'SELEC 1', 'SELECT 1; SELECT 2']) {
    const error: unknown = await run(sql).catch((reason: unknown) => reason);
    expect(isDataError(error)).toBe(false);
    expect(error).toMatchObject({ failure: { code: 'expression_error', class: 'config' } });
  }
});

describe('a hostile program', () => {
  it.each([
    ['reads a file', "SELECT * FROM read_text('/etc/hostname')"],
    ['reads its own process', "SELECT * FROM read_text('/proc/self/environ')"],
    ['lists a directory', "SELECT * FROM glob('/etc/*')"],
    ['writes beside its directory', "COPY (SELECT 1) TO 'OUTSIDE/x.csv'"],
    ['writes above its directory', "COPY (SELECT 1) TO 'INSIDE/../x.csv'"],
    ['attaches a database', "ATTACH 'OUTSIDE/x.db'"],
    ['installs an extension', 'INSTALL httpfs'],
    ['loads an extension', 'LOAD httpfs'],
    ['reads from the network', "SELECT * FROM read_csv('http://127.0.0.1:1/x.csv')"],
    ['opens a door again', 'SET enable_external_access = true'],
    ['allows itself a directory', "SET allowed_directories = ['/']"],
    ['takes more memory', "SET memory_limit = '100GB'"],
    ['unlocks', 'SET lock_configuration = false'],
    ['logs to a file', "SET logging_storage = 'file'"],
    ['profiles to a file', "PRAGMA profiling_output = 'OUTSIDE/x.json'"],
    ['imports', "IMPORT DATABASE '/etc'"],
  ])('that %s is refused', async (_, sql) => {
    const text = sql.replace('OUTSIDE', scratch.directory).replace('INSIDE', inside);
    expect(await failureOf(run(text))).toMatchObject({ code: 'expression_error' });
    expect(existsSync(path.join(scratch.directory, 'x.csv'))).toBe(false);
    await expectWorking();
  });

  it('cannot read through a link, nor what it may read under another name', async () => {
    const outside = path.join(scratch.directory, 'outside.txt');
    await writeFile(outside, 'private');
    await runModule(
      `(await import('node:fs')).symlinkSync(args.outside, args.link); return null;`,
      { outside, link: path.join(inside, 'link.txt') },
    );
    expect(await failureOf(run(`SELECT * FROM read_text('${inside}/link.txt')`))).toMatchObject({
      code: 'expression_error',
    });
    const [result] = await run(`SELECT content FROM read_text('${outside}')`, { reads: [outside] });
    expect(result?.rows).toEqual([['private']]);
  });

  it('harms only itself when it logs', async () => {
    const log = path.join(scratch.directory, 'log');
    const sql = `CALL enable_logging(storage = 'file', storage_config = {'path': '${log}'})`;
    await failureOf(run([sql, 'SELECT 1']));
    expect(existsSync(log)).toBe(false);
    await expectWorking();
  });

  it.each([
    ['a list', 'SELECT sum(x) FROM (SELECT unnest(range(100000000)) x FROM range(100))'],
    ['lists', 'SELECT max(len(l)) FROM (SELECT list(a.range) l FROM range(30000) a, range(30000))'],
    ['a text', "SELECT sum(length(repeat('x', 1000000000) || range)) FROM range(9)"],
  ])('that needs too much memory for %s is stopped', async (_, sql) => {
    expect(await failureOf(run(sql))).toMatchObject({
      code: 'resource_exhausted',
      class: 'config',
    });
    await expectWorking();
  });

  it('that never ends is stopped in time', async () => {
    await reopen({ timeoutMs: 300 });
    expect(await failureOf(run(endless))).toMatchObject({
      code: 'resource_exhausted',
      message: expect.stringContaining('longer than 0.3 s') as string,
    });
    await reopen();
    await expectWorking();
  });

  it('that never ends is stopped when nobody waits any more', async () => {
    const stop = new AbortController();
    const running = run(endless, { signal: stop.signal });
    await waitFor(async () => (await childPids()).length === 1, {
      timeoutMs: 30_000,
      what: 'a child',
    });
    const [pid = 0] = await childPids();
    stop.abort(new Error('enough'));
    await expect(running).rejects.toThrow('enough');
    expect(await processExists(pid)).toBe(false);
    await expectWorking();
  });

  it('cannot hand over more than people look at', async () => {
    const sql = "SELECT repeat('x', 1000000) FROM range(100)";
    expect(await failureOf(run(sql))).toMatchObject({ code: 'resource_exhausted' });
    await expectWorking();
  });
});

it('tries again what a killed child did', async () => {
  await run('SELECT 1');
  const [pid = 0] = await childPids();
  const running = failureOf(run(endless));
  process.kill(pid, 'SIGKILL');
  expect(await running).toMatchObject({ code: 'internal', class: 'transient' });
  await expectWorking();
  expect(await childPids()).not.toContain(pid);
});

it('keeps a child for the next program, and no secrets in it', async () => {
  process.env['FLX_TEST_SECRET'] = 'do not tell';
  await reopen();
  await run('SELECT 1');
  delete process.env['FLX_TEST_SECRET'];
  const [pid = 0] = await childPids();
  expect(await readFile(`/proc/${pid}/environ`, 'utf8')).not.toContain('do not tell');
  await run('SELECT 2');
  expect(await childPids()).toEqual([pid]);
});

it('runs many programs over few slots', async () => {
  await reopen({ slots: 2 });
  const answers = await Promise.all(
    Array.from({ length: 30 }, async (_, index) => {
      const directory = path.join(inside, `${index}`);
      await mkdir(directory);
      const file = path.join(directory, 'x.csv');
      const [, read] = await duck.run(
        {
          directory,
          reads: [],
          statements: [
            { sql: `COPY (SELECT ${index}) TO '${file}'` },
            { sql: `SELECT * FROM '${file}'` },
          ],
        },
        forever,
      );
      return read?.rows[0]?.[0];
    }),
  );
  expect(answers).toEqual(Array.from({ length: 30 }, (_, index) => index));
  expect((await childPids()).length).toBeLessThanOrEqual(2);
  await reopen();
});

it('lets a program that waits be called off', async () => {
  const first = new AbortController();
  const blocked = failureOf(run(endless, { signal: first.signal }));
  const second = new AbortController();
  const waiting = run('SELECT 1', { signal: second.signal });
  second.abort(new Error('no longer needed'));
  await expect(waiting).rejects.toThrow('no longer needed');
  first.abort();
  await blocked;
  await expectWorking();
});

it('ends its children when it is closed, and takes no more programs', async () => {
  const running = failureOf(run(endless));
  await waitFor(async () => (await childPids()).length === 1, {
    timeoutMs: 30_000,
    what: 'a child',
  });
  await duck.close();
  expect(await running).toBeInstanceOf(Error);
  expect(await childPids()).toEqual([]);
  await expect(run('SELECT 1')).rejects.toThrow('closed');
  await reopen();
});

it('leaves no child behind when the parent ends', async () => {
  const pids = await runModule<{ child: number }>(
    `const { makeDuckDb } = await load('dist/engine/duckdb/pool.js');
    const { execFileSync } = await import('node:child_process');
    const { readFileSync } = await import('node:fs');
    const duck = makeDuckDb({ slots: 1, memoryBytes: 2 ** 28, timeoutMs: 60000, maxRows: 10 });
    const program = (sql) => ({ directory: args.inside, reads: [], statements: [{ sql }] });
    const { signal } = new AbortController();
    await duck.run(program('SELECT 1'), signal);
    const child = Number(readFileSync('/proc/self/task/' + process.pid + '/children', 'utf8').trim());
    duck.run(program(args.endless), signal).catch(() => undefined);
    await new Promise((resolve) => setImmediate(resolve));
    return { child };`,
    { inside, endless },
  );
  await waitFor(async () => !(await processExists(pids.child)), {
    timeoutMs: 30_000,
    what: 'the child to end',
  });
});
