/**
 * Keys that the supervisor makes for a data directory of its own. Each is on disk before anything
 * depends on it: a kill at any moment loses none.
 */
import { randomBytes, randomInt } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { StartError } from '../../servers/errors.mjs';
import { keptSecret, readIfThere, writePrivate } from '../../servers/private-files.mjs';

/** @typedef {import('./data-directory.mjs').Paths} Paths */

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * @param {Paths} paths
 * @param {NodeJS.ProcessEnv} env
 * @returns {string} 32 bytes, base64
 */
export function masterKey(paths, env) {
  const given = env['FLX_MASTER_KEY'];
  if (given) {
    if (is32Bytes(given)) return given;
    throw new StartError(
      'FLX_MASTER_KEY must be 32 bytes in base64: make one with `openssl rand -base64 32`.',
    );
  }
  if (env['DATABASE_URL']) {
    throw new StartError(
      'FLX_MASTER_KEY must be set when DATABASE_URL is: make one with `openssl rand -base64 32`, and keep it with the database.',
    );
  }
  if (existsSync(paths.postgresPointer) && readIfThere(paths.masterKey) === null) {
    throw new StartError(
      `${paths.masterKey} is missing; put it back, since the saved secrets cannot be read without it.`,
    );
  }
  const kept = keptSecret(paths.masterKey, () => randomBytes(32).toString('base64'));
  if (is32Bytes(kept)) return kept;
  throw new StartError(`${paths.masterKey} is damaged; restore it (32 bytes in base64).`);
}

/** @param {string} text */
const is32Bytes = (text) =>
  Buffer.from(text, 'base64').toString('base64') === text && text.length === 44;

/**
 * `flx_`, 30 random characters, and their CRC-32.
 * @public tests call it
 * @param {() => number} [random] a digit below 62
 */
export function makeApiKey(random = () => randomInt(62)) {
  const body = Array.from({ length: 30 }, () => BASE62.charAt(random())).join('');
  return `flx_${body}${base62(crc32(body), 6)}`;
}

/**
 * @param {number} value
 * @param {number} width
 */
function base62(value, width) {
  let digits = '';
  for (let rest = value; digits.length < width; rest = Math.floor(rest / 62)) {
    digits = `${BASE62.charAt(rest % 62)}${digits}`;
  }
  return digits;
}

/** @param {string} text */
function crc32(text) {
  let crc = 0xffffffff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

/**
 * The key that bootstrap is to use: made and kept before the database knows it.
 * @param {Paths} paths
 * @param {NodeJS.ProcessEnv} env
 * @returns {string}
 */
export const proposeApiKey = (paths, env) =>
  env['FLX_BOOTSTRAP_API_KEY'] || keptSecret(paths.apiKey, () => makeApiKey());

/**
 * @param {Paths} paths
 * @param {{bootstrapped: boolean, apiKey?: string}} outcome of the migration
 * @param {{proposed: string, keptBefore: boolean}} proposal
 * @returns {{apiKey: string | null, isNew: boolean}}
 */
export function settleApiKey(paths, outcome, { proposed, keptBefore }) {
  if (outcome.bootstrapped) {
    const apiKey = outcome.apiKey ?? proposed;
    writePrivate(paths.apiKey, `${apiKey}\n`);
    return { apiKey, isNew: true };
  }
  if (keptBefore) return { apiKey: readIfThere(paths.apiKey)?.trim() ?? null, isNew: false };
  // The database was bootstrapped with a key that is not kept here any more: this one opens nothing.
  rmSync(paths.apiKey, { force: true });
  return { apiKey: null, isNew: false };
}
