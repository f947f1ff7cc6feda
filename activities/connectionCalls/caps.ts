import type { RowCaps } from '../../core/browse.js';

const mostBytes = 8 * 1024 * 1024;

/** The system itself ends it then, before we do. */
const mostSeconds = 20;

export const capsOf = (rows: number): RowCaps => ({
  rows,
  bytes: mostBytes,
  seconds: mostSeconds,
});
