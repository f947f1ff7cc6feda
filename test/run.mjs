/**
 * `npm test`: installs and builds what changed, then lint, types, import rules, dead code, and the
 * tests. `--only lint|unit|api|e2e|systems` runs one part and nothing else after the build; what
 * follows `--` goes to Jest: `npm test -- --only unit -- -t 'a name'`. `systems` runs only when it is
 * named: its servers are more than npm brings.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { prepareCheckout } from '../bin/start/build.mjs';
import { CommandFailed, runCommand } from '../bin/start/commands.mjs';
import { makeProgress } from '../bin/start/progress.mjs';
import { REPOSITORY } from '../bin/start/settings.mjs';
import { failureText, StartError } from '../servers/errors.mjs';

const PARALLEL = ['unit', 'api'];
const PARTS = ['lint', ...PARALLEL, 'e2e', 'systems'];
const LINT_TIMEOUT_MS = 5 * 60_000;
const JEST_TIMEOUT_MS = 30 * 60_000;
const env = { ...process.env, TZ: 'UTC' };
const progress = makeProgress(process.stdout, process.stderr);
const leaving = new AbortController();
for (const signal of ['SIGTERM', 'SIGHUP']) process.once(signal, () => leaving.abort());

/** @param {string} file relative to node_modules */
const inModules = (file) => path.join('node_modules', file);

/** Read when the packages are there. */
const lintSteps = () => {
  const { include } = /** @type {{include: string[]}} */ (
    JSON.parse(readFileSync(path.join(REPOSITORY, 'tsconfig.json'), 'utf8'))
  );
  const folders = include.filter((folder) => existsSync(path.join(REPOSITORY, folder)));
  return /** @type {[string, string[]][]} */ ([
    ['eslint', [inModules('eslint/bin/eslint.js'), '.']],
    ['prettier', [inModules('prettier/bin/prettier.cjs'), '--check', '--log-level=warn', '.']],
    ['types', [inModules('typescript/bin/tsc'), '--noEmit']],
    ['types of .mjs', [inModules('typescript/bin/tsc'), '--noEmit', '-p', 'servers/tsconfig.json']],
    ['import rules', [inModules('dependency-cruiser/bin/dependency-cruise.mjs'), ...folders]],
    ['dead code', [inModules('knip/bin/knip.js')]],
  ]);
};

/** @param {string[]} argv */
function parseArguments(argv) {
  const split = argv.indexOf('--');
  const ours = split === -1 ? argv : argv.slice(0, split);
  const forJest = split === -1 ? [] : argv.slice(split + 1);
  if (ours.length === 0) return { only: null, forJest };
  const [flag, part, ...rest] = ours;
  if (flag !== '--only' || part === undefined || !PARTS.includes(part) || rest.length > 0) {
    throw new StartError(
      `Usage: node test/run.mjs [--only ${PARTS.join('|')}] [-- Jest's arguments]`,
    );
  }
  return { only: part, forJest };
}

/**
 * @typedef {{numPassedTests: number, numFailedTests: number, numRuntimeErrorTestSuites: number}} Counts
 */

/** @returns {Promise<string[]>} the names of those that failed */
async function lint() {
  const failed = [];
  for (const [name, args] of lintSteps()) {
    leaving.signal.throwIfAborted();
    const options = {
      cwd: REPOSITORY,
      env,
      timeoutMs: LINT_TIMEOUT_MS,
      what: name,
      signal: leaving.signal,
    };
    try {
      await progress.step(
        name,
        async () => void (await runCommand(process.execPath, args, options)),
      );
    } catch (error) {
      failed.push(name);
      progress.line(error instanceof CommandFailed ? error.output.trimEnd() : String(error));
    }
  }
  return failed;
}

/**
 * @param {string[]} projects
 * @param {string[]} flags
 * @returns {Promise<{ok: boolean, passed: number, failed: number}>}
 */
async function jest(projects, flags) {
  const directory = mkdtempSync(path.join(os.tmpdir(), 'fluxline-jest-'));
  const report = path.join(directory, 'report.json');
  const args = [inModules('jest/bin/jest.js'), '--json', `--outputFile=${report}`];
  args.push('--selectProjects', ...projects, ...flags);
  try {
    const child = spawn(process.execPath, args, {
      cwd: REPOSITORY,
      env,
      stdio: ['ignore', 'ignore', 'inherit'], // standard output is the report again
      timeout: JEST_TIMEOUT_MS,
      signal: leaving.signal,
    });
    const code = await new Promise((resolve) => {
      child.once('close', resolve);
      child.once('error', resolve);
    });
    if (!existsSync(report)) return { ok: false, passed: 0, failed: 0 };
    const counts = /** @type {Counts} */ (JSON.parse(readFileSync(report, 'utf8')));
    // A file that could not even be loaded has no tests to count.
    const failed = counts.numFailedTests + counts.numRuntimeErrorTestSuites;
    return { ok: code === 0, passed: counts.numPassedTests, failed };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/**
 * @param {string | null} only
 * @param {string[]} forJest
 * @returns {{name: string, projects: string[], flags: string[]}[]}
 */
function jestRuns(only, forJest) {
  const passing = forJest.length > 0 ? ['--passWithNoTests', ...forJest] : [];
  const parallel = PARALLEL.filter((part) => only === null || only === part);
  const inBand = only === 'systems' ? ['systems'] : ['e2e'];
  const runs = [
    { name: parallel.join(' and '), projects: parallel, flags: ['--maxWorkers=2', ...passing] },
    { name: inBand.join(), projects: inBand, flags: ['--runInBand', ...passing] },
  ];
  return runs.filter(({ projects }) =>
    projects.some((part) => only === part || (only === null && part !== 'systems')),
  );
}

async function main() {
  const { only, forJest } = parseArguments(process.argv.slice(2));
  await prepareCheckout({ root: REPOSITORY, signal: leaving.signal }, progress);
  const failures = only === null || only === 'lint' ? await lint() : [];
  let passed = 0;
  let failed = 0;
  for (const { name, projects, flags } of jestRuns(only, forJest)) {
    leaving.signal.throwIfAborted();
    await progress.step(`Tests: ${name}`, async () => {
      progress.line('');
      const result = await jest(projects, flags);
      passed += result.passed;
      failed += result.failed;
      if (!result.ok) failures.push(`tests: ${name}`);
    });
  }
  if (failures.length > 0) progress.line(`Failed: ${failures.join(', ')}`);
  progress.line(`${passed} passed, ${failed} failed`);
  process.exitCode = failures.length > 0 ? 1 : 0;
}

main().catch((/** @type {unknown} */ error) => {
  if (error instanceof CommandFailed) progress.complain(error.output.trimEnd());
  progress.complain(failureText(error));
  progress.line('0 passed, 0 failed');
  process.exitCode = 1;
});
