/**
 * Finds the `temporal` program, or gets it: TEMPORAL_CLI, PATH, the user's cache, the official
 * release, Go. The order is design §9's.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createWriteStream, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { StartError } from '../errors.mjs';

const VERSION = '1.5.1';
const MODULE = `github.com/temporalio/cli/cmd/temporal@v${VERSION}`;
const DOWNLOADS = 'https://temporal.download/cli/archive';
const CONNECT_TIMEOUT_MS = 10_000;
const DOWNLOAD_TIMEOUT_MS = 5 * 60_000;
const COMPILE_TIMEOUT_MS = 20 * 60_000;

/**
 * @typedef {object} FindOptions
 * @property {NodeJS.ProcessEnv} [env]
 * @property {(line: string) => void} [say]
 * @property {AbortSignal} [signal]
 * @property {string} [downloads] where releases come from
 */

/**
 * @param {FindOptions} [options]
 * @returns {Promise<string>} the program's path
 */
export async function findTemporal(options = {}) {
  const { env = process.env, say = () => {} } = options;
  const given = env['TEMPORAL_CLI'];
  if (given) {
    if (!works(given)) {
      throw new StartError(
        `TEMPORAL_CLI (${given}) is not the temporal program; correct its path.`,
      );
    }
    say(`Temporal: ${given}, from TEMPORAL_CLI`);
    return given;
  }
  const onPath = searchPath(env);
  if (onPath) {
    say(`Temporal: ${onPath}, from PATH`);
    return onPath;
  }
  const cached = path.join(cacheDirectory(env), 'temporal');
  if (works(cached)) {
    say(`Temporal: ${cached}, from the cache`);
    return cached;
  }
  for (const obtain of [download, compile]) {
    const reason = await obtain(cached, { ...options, env, say });
    if (reason === null) return cached;
    options.signal?.throwIfAborted();
    say(`Temporal: ${reason}`);
  }
  throw new StartError(
    `The temporal program was not found and could not be installed: install the Temporal CLI and set TEMPORAL_CLI to its path, or install Go, or set TEMPORAL_ADDRESS to a server.`,
  );
}

/** @param {NodeJS.ProcessEnv} env */
function cacheDirectory(env) {
  const base = env['XDG_CACHE_HOME'] || path.join(env['HOME'] || os.homedir(), '.cache');
  return path.join(base, 'fluxline', `temporal-${VERSION}`);
}

/** @param {NodeJS.ProcessEnv} env */
function searchPath(env) {
  return (env['PATH'] ?? '')
    .split(path.delimiter)
    .filter((directory) => path.isAbsolute(directory))
    .map((directory) => path.join(directory, 'temporal'))
    .find((program) => existsSync(program) && works(program));
}

/** @param {string} program */
function works(program) {
  const { status, stdout } = spawnSync(program, ['--version'], {
    encoding: 'utf8',
    timeout: 30_000,
  });
  return status === 0 && /temporal version/i.test(stdout);
}

/**
 * @typedef {FindOptions & {env: NodeJS.ProcessEnv, say: (line: string) => void}} ObtainOptions
 */

/**
 * @param {string} program where to put it
 * @param {ObtainOptions} options
 * @returns {Promise<string | null>} why it did not work; null when it did
 */
async function download(program, { env, say, signal, downloads = DOWNLOADS }) {
  if (env['CI'] === 'true') return 'CI=true, so no release is downloaded';
  const platform = { linux: 'linux', darwin: 'darwin' }[/** @type {string} */ (process.platform)];
  const arch = { x64: 'amd64', arm64: 'arm64' }[/** @type {string} */ (process.arch)];
  if (!platform || !arch) return `no release for ${process.platform} ${process.arch}`;
  const url = `${downloads}/v${VERSION}?platform=${platform}&arch=${arch}`;
  say(`Temporal: downloading ${url}`);
  return withDraft(program, async (draft) => {
    const archive = path.join(draft, 'temporal.tar.gz');
    await fetchFile(url, archive, signal);
    await run('tar', ['-xzf', archive, '-C', draft, 'temporal'], { timeoutMs: 60_000, signal });
  });
}

/**
 * @param {string} url
 * @param {string} file
 * @param {AbortSignal | undefined} signal
 */
async function fetchFile(url, file, signal) {
  const connecting = new AbortController();
  const limit = setTimeout(
    () => connecting.abort(new Error(`no answer within ${CONNECT_TIMEOUT_MS / 1000} s`)),
    CONNECT_TIMEOUT_MS,
  );
  const aborts = [connecting.signal, AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS)];
  try {
    const response = await fetch(url, {
      signal: AbortSignal.any(signal ? [...aborts, signal] : aborts),
    });
    clearTimeout(limit);
    if (!response.ok || !response.body) throw new Error(`it answered ${response.status}`);
    await pipeline(Readable.fromWeb(response.body), createWriteStream(file));
  } finally {
    clearTimeout(limit);
  }
}

/**
 * @param {string} program
 * @param {ObtainOptions} options
 * @returns {Promise<string | null>}
 */
async function compile(program, { env, say, signal }) {
  if (spawnSync('go', ['version'], { env, timeout: 30_000 }).status !== 0) {
    return 'Go is not installed, so it cannot be compiled';
  }
  say(`Temporal: compiling it once with \`go install ${MODULE}\` (a few minutes)`);
  return withDraft(program, (draft) =>
    run('go', ['install', MODULE], {
      env: { ...env, GOBIN: draft, GOFLAGS: '-mod=mod' },
      timeoutMs: COMPILE_TIMEOUT_MS,
      signal,
    }),
  );
}

/**
 * Gets the program into a directory of its own and moves it to its place when it works, so that
 * neither a kill nor a second start at the same time leaves half of one.
 * @param {string} program
 * @param {(draft: string) => Promise<void>} obtain
 * @returns {Promise<string | null>}
 */
async function withDraft(program, obtain) {
  const directory = path.dirname(program);
  mkdirSync(directory, { recursive: true });
  const draft = mkdtempSync(path.join(directory, 'draft-'));
  try {
    await obtain(draft);
    const made = path.join(draft, 'temporal');
    if (!works(made)) return 'what came does not run here';
    renameSync(made, program);
    return null;
  } catch (error) {
    const failure = error instanceof Error ? error : new Error(String(error));
    const cause = failure.cause instanceof Error ? `: ${failure.cause.message}` : '';
    return `that failed (${failure.message}${cause})`;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {{env?: NodeJS.ProcessEnv, timeoutMs: number, signal?: AbortSignal | undefined}} options
 * @returns {Promise<void>}
 */
function run(command, args, { env, timeoutMs, signal }) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      stdio: ['ignore', 'ignore', 'pipe'],
      cwd: os.tmpdir(), // outside any Go module
      timeout: timeoutMs,
      ...(env && { env }),
      ...(signal && { signal }),
    });
    let complaint = '';
    child.stderr.on('data', (chunk) => (complaint = `${complaint}${String(chunk)}`.slice(-2000)));
    child.once('error', reject);
    child.once('close', (code) => {
      const line = complaint.trim().split('\n').at(-1) ?? '';
      if (code === 0) resolve();
      else reject(new Error(line || `${command} ended with ${code ?? 'a signal'}`));
    });
  });
}
