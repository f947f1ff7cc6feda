import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { childEnv, freePortSettings, reachableDirectory, ROOT } from '../support/processes.js';
import { runModule } from '../support/runModule.js';

const execute = promisify(execFile);
let home: string;

beforeAll(() => {
  home = reachableDirectory();
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** `npm start` with settings that it refuses, before it starts or builds anything. */
async function refusal(settings: Record<string, string>): Promise<string> {
  const env = childEnv({ FLX_DATA_DIR: path.join(home, 'data'), FLX_MASTER_KEY: '', ...settings });
  try {
    await execute(process.execPath, [path.join(ROOT, 'bin', 'start.mjs')], {
      env,
      timeout: 30_000,
    });
  } catch (error) {
    const { code, stderr } = error as { code: number; stderr: string };
    expect(code).toBe(1);
    return stderr;
  }
  return 'it started';
}

describe('what npm start refuses, each in one line', () => {
  test.each([
    ['FLX_HTTP_PORT', 'the API'],
    ['FLX_POSTGRES_PORT', 'PostgreSQL'],
    ['FLX_TEMPORAL_PORT', 'Temporal'],
    ['FLX_TEMPORAL_UI_PORT', "Temporal's Web UI"],
  ])('a port in use: %s', async (variable, what) => {
    const settings = await freePortSettings();
    const squatter = createServer();
    await new Promise((resolve) => {
      squatter.listen(Number(settings[variable]), '127.0.0.1', () => resolve(null));
    });
    const said = await refusal(settings);
    await new Promise((resolve) => squatter.close(resolve));
    expect(said).toBe(
      `Port ${settings[variable] ?? ''} for ${what} is in use; set ${variable} to a free one.\n`,
    );
  });

  test('a port that is no port, and one port for two things', async () => {
    const settings = await freePortSettings();
    expect(await refusal({ ...settings, FLX_HTTP_PORT: '80a' })).toBe(
      'FLX_HTTP_PORT is "80a"; set it to a port number (1 to 65535).\n',
    );
    const http = settings['FLX_HTTP_PORT'] ?? '';
    expect(await refusal({ ...settings, FLX_POSTGRES_PORT: http })).toBe(
      `FLX_HTTP_PORT and FLX_POSTGRES_PORT are both ${http}; change one.\n`,
    );
  });

  test('a directory with files of somebody else, which it leaves alone', async () => {
    const foreign = path.join(home, 'foreign');
    mkdirSync(foreign);
    writeFileSync(path.join(foreign, 'thesis.tex'), '');
    expect(await refusal({ FLX_DATA_DIR: foreign })).toBe(
      `${foreign} holds other files than Fluxline's; set FLX_DATA_DIR to an empty or new directory.\n`,
    );
    expect(readdirSync(foreign)).toEqual(['thesis.tex']);
  });

  test('a file where the directory should be', async () => {
    const file = path.join(home, 'file');
    writeFileSync(file, '');
    expect(await refusal({ FLX_DATA_DIR: file })).toBe(
      `${file} is not a directory that can be written; set FLX_DATA_DIR to one.\n`,
    );
  });

  test('a directory of a newer version', async () => {
    const newer = path.join(home, 'newer');
    mkdirSync(newer);
    writeFileSync(path.join(newer, 'fluxline.json'), '{"format": 99}');
    expect(await refusal({ FLX_DATA_DIR: newer })).toMatch(
      /was written by a newer Fluxline \(layout 99, this one knows 1\); start that version/,
    );
  });

  test('a database of its own without a master key, and a master key of the wrong size', async () => {
    const settings = await freePortSettings();
    expect(await refusal({ ...settings, DATABASE_URL: 'postgres://db.example/x' })).toMatch(
      /^FLX_MASTER_KEY must be set when DATABASE_URL is: make one with/,
    );
    expect(await refusal({ ...settings, FLX_MASTER_KEY: 'c2hvcnQ=' })).toMatch(
      /^FLX_MASTER_KEY must be 32 bytes in base64: make one with/,
    );
  });

  test('a data directory that lost its master key', async () => {
    const lost = path.join(home, 'lost');
    mkdirSync(path.join(lost, 'run'), { recursive: true });
    writeFileSync(path.join(lost, 'fluxline.json'), '{"format": 1}');
    writeFileSync(path.join(lost, 'run', 'pgdata'), path.join(lost, 'postgres'));
    expect(await refusal({ ...(await freePortSettings()), FLX_DATA_DIR: lost })).toMatch(
      /master-key is missing; put it back, since the saved secrets cannot be read without it\.\n$/,
    );
  });
});

test('API keys end in the CRC-32 of their body', async () => {
  const keys = await runModule<string[]>(
    `const { makeApiKey } = await load('bin/start/keys.mjs');
    let next = 0;
    return [makeApiKey(() => 0), makeApiKey(() => next++), makeApiKey()];`,
  );
  expect(keys[0]).toBe('flx_0000000000000000000000000000002C8GjS');
  expect(keys[1]).toBe('flx_0123456789ABCDEFGHIJKLMNOPQRST4PMbyp');
  expect(keys[2]).toMatch(/^flx_[0-9A-Za-z]{36}$/);
});

describe('whether packages are installed as the lock file says', () => {
  const lock = {
    packages: {
      '': { version: '1.0.0' },
      'node_modules/a': { version: '1.2.3' },
      'node_modules/only-on-mac': { version: '2.0.0', optional: true },
    },
  };
  const isInstalled = (installed: object | null): Promise<boolean> =>
    runModule(
      `const { isInstalled } = await load('bin/start/install.mjs');
      return isInstalled(JSON.stringify(args.lock), args.installed && JSON.stringify(args.installed));`,
      { lock, installed },
    );

  test('nothing installed', async () => {
    expect(await isInstalled(null)).toBe(false);
  });
  test('everything, but for what is optional', async () => {
    expect(await isInstalled({ packages: { 'node_modules/a': { version: '1.2.3' } } })).toBe(true);
  });
  test('another version', async () => {
    expect(await isInstalled({ packages: { 'node_modules/a': { version: '1.2.2' } } })).toBe(false);
  });
  test('another version of what is optional', async () => {
    const packages = {
      'node_modules/a': { version: '1.2.3' },
      'node_modules/only-on-mac': { version: '1.9.0' },
    };
    expect(await isInstalled({ packages })).toBe(false);
  });
});

test('logs over their size move aside, and their writers go on', async () => {
  const logs = path.join(home, 'logs');
  mkdirSync(logs);
  writeFileSync(path.join(logs, 'api.log'), 'x'.repeat(2000));
  writeFileSync(path.join(logs, 'worker.log'), 'short');
  await runModule(
    `const { rotateLogs } = await load('bin/start/log-rotation.mjs');
    rotateLogs(args.logs, 1000);`,
    { logs },
  );
  expect(readdirSync(logs).sort()).toEqual(['api.log', 'api.log.1', 'worker.log']);
});
