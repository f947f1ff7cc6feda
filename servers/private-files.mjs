import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { hasCode } from './errors.mjs';

/**
 * Writes a whole file or nothing: a reader, or a start after a kill, never sees half of it.
 * @param {string} file
 * @param {string} content
 * @param {number} [mode]
 */
export function writeWhole(file, content, mode = 0o644) {
  const draft = `${file}.${process.pid}-${randomBytes(4).toString('hex')}`;
  writeFileSync(draft, content, { mode, flag: 'wx' });
  renameSync(draft, file);
}

/**
 * @param {string} file
 * @param {string} content
 */
export const writePrivate = (file, content) => writeWhole(file, content, 0o600);

/**
 * @param {string} file
 * @returns {string | null} null where there is no such file
 */
export function readIfThere(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return null;
    throw error;
  }
}

/**
 * The secret kept in this file; made and kept, readable by its owner only, when there is none yet.
 * @param {string} file
 * @param {() => string} make
 */
export function keptSecret(file, make) {
  const kept = readIfThere(file)?.trim();
  if (kept) return kept;
  const secret = make();
  writePrivate(file, `${secret}\n`);
  return secret;
}
