import { appendFileSync } from 'node:fs';

/**
 * @typedef {object} Progress
 * @property {(text: string) => void} line
 * @property {(text: string) => void} complain
 * @property {(label: string, work: () => Promise<string | void>) => Promise<void>} step
 *   prints what is being done, then how long it took; the work may return a remark
 * @property {(file: string) => void} keepIn also write each line, with the time, to this file
 */

/**
 * @param {NodeJS.WritableStream} out
 * @param {NodeJS.WritableStream} errors
 * @returns {Progress}
 */
export function makeProgress(out, errors) {
  let unfinished = false;
  /** @type {string | null} */
  let logFile = null;
  // A closed pipe (`npm start | head`) must not end the supervisor before its children.
  for (const stream of [out, errors]) stream.on('error', () => {});

  /** @param {string} text */
  const line = (text) => {
    out.write(`${unfinished ? '\n' : ''}${text}\n`);
    unfinished = false;
    keep(text);
  };
  /** @param {string} text */
  const keep = (text) => {
    if (logFile === null) return;
    try {
      appendFileSync(logFile, `${new Date().toISOString()} ${text}\n`);
    } catch {
      // A full disk or a deleted data directory: what is said here must not end the supervisor.
    }
  };
  return {
    line,
    complain: (text) => {
      errors.write(`${text}\n`);
      keep(text);
    },
    keepIn: (file) => (logFile = file),
    step: async (label, work) => {
      const started = Date.now();
      out.write(`${label} …`);
      unfinished = true;
      /** @param {string} remark */
      const finish = (remark) => {
        const took = `${((Date.now() - started) / 1000).toFixed(1)} s`;
        const ending = remark ? ` ${remark} (${took})` : ` ${took}`;
        out.write(unfinished ? `${ending}\n` : `${label}:${ending}\n`);
        unfinished = false;
        keep(`${label}:${ending}`);
      };
      try {
        finish((await work()) || '');
      } catch (error) {
        finish(error instanceof Error && error.name === 'AbortError' ? 'broken off' : 'failed');
        throw error;
      }
    },
  };
}
