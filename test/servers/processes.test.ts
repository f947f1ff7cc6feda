import { spawn } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { reachableDirectory } from '../support/processes.js';
import { runModule } from '../support/runModule.js';

let directory: string;

beforeAll(() => {
  directory = reachableDirectory();
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const SPAWN = `
  const { spawnLogged, stopProcess, isRunning, writePidFile, readPidFile, processIdentity } =
    await load('servers/processes.mjs');
  const run = (source) =>
    spawnLogged(process.execPath, ['-e', source], { logFile: args.directory + '/child.log' });
`;
const IDLE = `setInterval(() => {}, 1000)`;

test('a process is known by its start time, too: a recycled id is nobody we know', async () => {
  const seen = await runModule<Record<string, unknown>>(
    `${SPAWN}
    const child = await run(${JSON.stringify(IDLE)});
    const impostor = { pid: child.pid, identity: child.identity + '0' };
    const stopped = await stopProcess(impostor, [{ signal: 'SIGKILL', waitMs: 1000 }]);
    const survived = isRunning(child);
    await stopProcess(child, [{ signal: 'SIGKILL', waitMs: 5000 }]);
    return { impostorRuns: isRunning(impostor), stopped, survived, runs: isRunning(child) };`,
    { directory },
  );
  expect(seen).toEqual({ impostorRuns: false, stopped: null, survived: true, runs: false });
});

test('stopping escalates when the polite signal is ignored', async () => {
  const ignoring = `process.on('SIGTERM', () => {}); console.log('deaf'); ${IDLE}`;
  const signal = await runModule<string>(
    `${SPAWN}
    const { waitUntil } = await load('servers/waiting.mjs');
    const { readIfThere } = await load('servers/private-files.mjs');
    const child = await run(${JSON.stringify(ignoring)});
    await waitUntil(() => readIfThere(args.directory + '/child.log')?.includes('deaf'),
      { what: 'the child', timeoutMs: 10000 });
    return stopProcess(child, [
      { signal: 'SIGTERM', waitMs: 300 },
      { signal: 'SIGKILL', waitMs: 5000 },
    ]);`,
    { directory },
  );
  expect(signal).toBe('SIGKILL');
});

test('a pid file holds the number alone and gives the process back', async () => {
  const seen = await runModule<{ pid: number; back: { pid: number }; identity: string }>(
    `${SPAWN}
    const child = await run(${JSON.stringify(IDLE)});
    writePidFile(args.directory, 'child', child);
    const back = readPidFile(args.directory, 'child');
    await stopProcess(child, [{ signal: 'SIGKILL', waitMs: 5000 }]);
    return { pid: child.pid, identity: child.identity, back };`,
    { directory },
  );
  expect(seen.back).toEqual({ pid: seen.pid, identity: seen.identity });
  expect(readFileSync(path.join(directory, 'child.pid'), 'utf8')).toBe(`${seen.pid}\n`);
});

test('a zombie has ended', async () => {
  // The shell becomes a process that never collects its child.
  const parent = spawn('/bin/sh', ['-c', 'true & echo $!; exec sleep 60'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    const zombie = await new Promise<number>((resolve) =>
      parent.stdout.once('data', (chunk: Buffer) => resolve(Number(chunk.toString()))),
    );
    const identity = await runModule<string | null>(
      `const { processIdentity } = await load('servers/processes.mjs');
      const { waitUntil } = await load('servers/waiting.mjs');
      await waitUntil(() => processIdentity(args.zombie) === null,
        { what: 'ending', timeoutMs: 10000 });
      return processIdentity(args.zombie);`,
      { zombie },
    );
    expect(identity).toBeNull();
  } finally {
    parent.kill('SIGKILL');
  }
});

test('a program that is not there is named in one line', async () => {
  const message = await runModule<string>(
    `${SPAWN}
    return spawnLogged('/nowhere/program', [], { logFile: args.directory + '/x.log' })
      .then(() => 'ran', (error) => error.name + ': ' + error.message);`,
    { directory },
  );
  expect(message).toBe(
    'StartError: /nowhere/program cannot be run: spawn /nowhere/program ENOENT.',
  );
});

describe('the lock', () => {
  const LOCK = `
    const { tryLock } = await load('servers/lock.mjs');
    const attempt = () => {
      const outcome = tryLock(args.file);
      return 'lock' in outcome ? 'mine' : outcome.heldBy.pid;
    };
  `;

  test('names who holds it, and is free again when released', async () => {
    const file = path.join(directory, 'held');
    const seen = await runModule<unknown[]>(
      `${LOCK}
      const first = tryLock(args.file);
      const second = attempt();
      first.lock.release();
      return [second === process.pid, attempt()];`,
      { file },
    );
    expect(seen).toEqual([true, 'mine']);
  });

  test('of a process that ended goes to exactly one of those who want it', async () => {
    const file = path.join(directory, 'contended');
    writeFileSync(file, JSON.stringify({ pid: 1, identity: 'of another boot' }));
    const outcomes = await runModule<number>(
      `const { spawn } = await import('node:child_process');
      const source = \`
        const { tryLock } = await import(\${JSON.stringify(new URL('servers/lock.mjs', 'file://' + process.cwd() + '/').href)});
        process.stdin.once('data', () => {
          const outcome = tryLock(\${JSON.stringify(args.file)});
          process.stdout.write('lock' in outcome ? 'mine' : 'held');
          process.stdin.once('end', () => process.exit());
        });
        process.stdout.write('ready');
      \`;
      const children = Array.from({ length: 6 }, () =>
        spawn(process.execPath, ['--input-type=module', '-e', source], { stdio: ['pipe', 'pipe', 'inherit'] }));
      const said = (child) => new Promise((resolve) => child.stdout.once('data', (chunk) => resolve(String(chunk))));
      await Promise.all(children.map(said));
      const answers = children.map(said);
      for (const child of children) child.stdin.write('go');
      const winners = (await Promise.all(answers)).filter((answer) => answer === 'mine').length;
      for (const child of children) child.stdin.end();
      return winners;`,
      { file },
    );
    expect(outcomes).toBe(1);
  });
});
