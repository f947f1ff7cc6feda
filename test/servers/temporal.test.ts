import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { reachableDirectory, startOwnServer } from '../support/processes.js';
import { runModule } from '../support/runModule.js';

let directory: string;

beforeAll(() => {
  directory = reachableDirectory();
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** A program that answers `--version`, as the real one does or not. */
function fakeProgram(name: string, says: string): string {
  const file = path.join(directory, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\necho "${says}"\n`, { mode: 0o755 });
  return file;
}

interface Found {
  program?: string;
  failure?: string;
  said: string[];
}

const find = (env: Record<string, string>): Promise<Found> =>
  runModule(
    `const { findTemporal } = await load('servers/temporal.mjs');
    const said = [];
    const options = { env: args.env, say: (line) => said.push(line), downloads: 'http://127.0.0.1:9' };
    return findTemporal(options).then(
      (program) => ({ program, said }),
      (error) => ({ failure: error.message, said }));`,
    { env: { HOME: directory, PATH: '', ...env } },
  );

describe('findTemporal', () => {
  const version = 'temporal version 1.5.1 (Server 1.29.1, UI 2.42.1)';

  test('prefers TEMPORAL_CLI to PATH, and PATH to the cache', async () => {
    const given = fakeProgram('given/temporal', version);
    const onPath = fakeProgram('path/temporal', version);
    const cached = fakeProgram('cache/fluxline/temporal-1.5.1/temporal', version);
    const env = { XDG_CACHE_HOME: path.join(directory, 'cache') };
    expect(await find(env)).toEqual({
      program: cached,
      said: [`Temporal: ${cached}, from the cache`],
    });
    const withPath = { ...env, PATH: path.dirname(onPath) };
    expect((await find(withPath)).program).toBe(onPath);
    expect((await find({ ...withPath, TEMPORAL_CLI: given })).program).toBe(given);
  });

  test('does not take another program of that name from PATH', async () => {
    const other = fakeProgram('other/temporal', 'a calendar');
    const cached = fakeProgram('.cache/fluxline/temporal-1.5.1/temporal', version);
    expect((await find({ PATH: path.dirname(other) })).program).toBe(cached);
  });

  test('refuses a wrong TEMPORAL_CLI instead of looking further', async () => {
    const wrong = fakeProgram('wrong/temporal', 'a calendar');
    expect((await find({ TEMPORAL_CLI: wrong })).failure).toBe(
      `TEMPORAL_CLI (${wrong}) is not the temporal program; correct its path.`,
    );
  });

  test('says each step, and in the end what to install', async () => {
    const { failure, said } = await find({ XDG_CACHE_HOME: path.join(directory, 'empty') });
    expect(said[0]).toMatch(/^Temporal: downloading http:\/\/127\.0\.0\.1:9\/v1\.5\.1\?platform=/);
    expect(said[1]).toMatch(/^Temporal: that failed \(/);
    expect(said[2]).toBe('Temporal: Go is not installed, so it cannot be compiled');
    expect(failure).toMatch(
      /install the Temporal CLI and set TEMPORAL_CLI to its path, or install Go/,
    );
  });

  test('downloads nothing in CI', async () => {
    const env = { XDG_CACHE_HOME: path.join(directory, 'empty'), CI: 'true' };
    expect((await find(env)).said[0]).toBe('Temporal: CI=true, so no release is downloaded');
  });
});

test('two servers run side by side, each with its own namespace', async () => {
  const [first, second] = await Promise.all([
    startOwnServer('temporal', { namespace: 'one' }),
    startOwnServer('temporal', { namespace: 'two' }),
  ]);
  expect(first.ready.address).not.toBe(second.ready.address);
  expect([first.ready.namespace, second.ready.namespace]).toEqual(['one', 'two']);
  const { port } = first.ready;
  await expect(startOwnServer('temporal', { port })).rejects.toThrow(
    `Port ${port} is in use; choose another for Temporal.`,
  );
  await Promise.all([first.remove(), second.remove()]);
});
