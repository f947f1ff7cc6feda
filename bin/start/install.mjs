/**
 * Packages as package-lock.json says, installed only when it changed. Shared with `npm test`.
 */
import { createHash } from 'node:crypto';
import path from 'node:path';
import { readIfThere, writeWhole } from '../../servers/private-files.mjs';
import { CommandFailed, runCommand } from './commands.mjs';

const TIMEOUT_MS = 20 * 60_000;

/**
 * @typedef {{root: string, logFile?: string | undefined, signal?: AbortSignal | undefined}} Place
 * @typedef {{packages?: Record<string, {version?: string, optional?: boolean, link?: boolean}>}} Lock
 */

/**
 * @param {Place} place
 * @returns {Promise<string>} a remark
 */
export async function ensureInstalled(place) {
  const lock = readIfThere(path.join(place.root, 'package-lock.json')) ?? '';
  const hash = createHash('sha256').update(lock).digest('hex');
  const modules = path.join(place.root, 'node_modules');
  const stamp = path.join(modules, '.fluxline-lock-hash');
  if (readIfThere(stamp)?.trim() === hash) return 'up to date';
  const byHand = isInstalled(lock, readIfThere(path.join(modules, '.package-lock.json')));
  if (!byHand) await install(place);
  writeWhole(stamp, `${hash}\n`);
  return byHand ? 'up to date' : 'installed';
}

/**
 * Somebody ran npm already: the list that npm keeps of what it installed agrees with the lock file.
 * @public tests call it
 * @param {string} lockText
 * @param {string | null} installedText
 */
export function isInstalled(lockText, installedText) {
  if (installedText === null) return false;
  const wanted = /** @type {Lock} */ (JSON.parse(lockText)).packages ?? {};
  const installed = /** @type {Lock} */ (JSON.parse(installedText)).packages ?? {};
  return Object.entries(wanted).every(
    ([name, { version, optional }]) =>
      name === '' || (installed[name]?.version ?? (optional ? version : null)) === version,
  );
}

/**
 * `npm ci` refuses a lock file that lacks packages for other systems, which is what a registry
 * without them leaves behind; `npm install --no-save` installs the same versions then.
 * @param {Place} place
 */
async function install({ root, logFile, signal }) {
  const flags = ['--include=dev', '--no-audit', '--no-fund'];
  const options = { cwd: root, timeoutMs: TIMEOUT_MS, logFile, signal };
  try {
    await npm(['ci', ...flags], { ...options, what: '`npm ci`' });
  } catch (error) {
    if (!(error instanceof CommandFailed) || !error.output.includes('EUSAGE')) throw error;
    await npm(['install', '--no-save', ...flags], { ...options, what: '`npm install`' });
  }
}

/**
 * @param {string[]} args
 * @param {Parameters<typeof runCommand>[2]} options
 */
function npm(args, options) {
  // The npm that started us, where one did: it may not be on PATH.
  const script = process.env['npm_execpath'];
  return script?.endsWith('.js')
    ? runCommand(process.execPath, [script, ...args], options)
    : runCommand('npm', args, options);
}
