/**
 * `dist/`: compiled sources and the workflow bundle, made only when a source changed. Shared with
 * `npm test`.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { waitForLock } from '../../servers/lock.mjs';
import { readIfThere, writeWhole } from '../../servers/private-files.mjs';
import { runCommand } from './commands.mjs';
import { ensureInstalled } from './install.mjs';

const COMPILE_TIMEOUT_MS = 10 * 60_000;
const BUNDLE_TIMEOUT_MS = 5 * 60_000;
const SETTINGS = ['package-lock.json', 'tsconfig.json', 'tsconfig.build.json'];

/**
 * @typedef {import('./install.mjs').Place} Place
 * @typedef {import('./progress.mjs').Progress} Progress
 */

/**
 * Installs and builds. One at a time for each checkout: two starts may share it.
 * @param {Place} place
 * @param {Progress} progress
 */
export async function prepareCheckout(place, progress) {
  const dist = path.join(place.root, 'dist');
  mkdirSync(dist, { recursive: true });
  const lock = await waitForLock(path.join(dist, '.lock'), {
    what: 'Waiting for the build',
    timeoutMs: 20 * 60_000,
    onWait: ({ pid }) => progress.line(`Process ${pid} is building this checkout; waiting for it`),
  });
  try {
    await progress.step('Packages', () => ensureInstalled(place));
    await progress.step('Build', () => ensureBuilt(place));
  } finally {
    lock.release();
  }
}

/**
 * @param {Place} place
 * @returns {Promise<string>} a remark
 */
async function ensureBuilt({ root, logFile, signal }) {
  const dist = path.join(root, 'dist');
  const stamp = path.join(dist, '.build-stamp');
  const hash = hashSources(root);
  const complete = existsSync(path.join(dist, 'workflow-bundle.js'));
  if (complete && readIfThere(stamp)?.trim() === hash) return 'up to date';
  const options = { cwd: root, logFile, signal };
  const compiler = path.join('node_modules', 'typescript', 'bin', 'tsc');
  await runCommand(process.execPath, [compiler, '-p', 'tsconfig.build.json'], {
    ...options,
    what: 'Compiling',
    timeoutMs: COMPILE_TIMEOUT_MS,
  });
  await runCommand(process.execPath, [path.join('dist', 'bin', 'bundle.js')], {
    ...options,
    what: 'Bundling the workflows',
    timeoutMs: BUNDLE_TIMEOUT_MS,
  });
  writeWhole(stamp, `${hash}\n`);
  return 'built';
}

/**
 * By content, not by time: a checkout of another branch and back costs nothing.
 * @param {string} root
 */
function hashSources(root) {
  const { include } = /** @type {{include: string[]}} */ (
    JSON.parse(readFileSync(path.join(root, 'tsconfig.json'), 'utf8'))
  );
  const sources = include
    .filter((folder) => folder !== 'test' && existsSync(path.join(root, folder)))
    .flatMap((folder) =>
      readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => /\.(ts|json)$/.test(file))
        .map((file) => path.join(folder, file)),
    );
  const hash = createHash('sha256');
  for (const file of [...SETTINGS, ...sources.sort()]) {
    hash
      .update(`${file}\0`)
      .update(readIfThere(path.join(root, file)) ?? '')
      .update('\0');
  }
  return hash.digest('hex');
}
