import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { makeDuckDb } from '../../../engine/duckdb/pool.js';
import type { DuckDbSettings } from '../../../engine/duckdb/pool.js';
import type { DuckDb } from '../../../engine/duckdb/program.js';

const megabyte = 1024 * 1024;

export const childFile = path.join(
  ...[__dirname, '..', '..', '..', 'dist', 'engine', 'duckdb', 'child.js'],
);

/** The child is the build's: a process of its own cannot run what Jest compiles in memory. */
export const openDuckDb = (settings: Partial<DuckDbSettings> = {}): DuckDb =>
  makeDuckDb({
    slots: 1,
    memoryBytes: 256 * megabyte,
    timeoutMs: 60_000,
    maxRows: 10_000,
    childFile,
    ...settings,
  });

export interface Scratch {
  directory: string;
  remove: () => Promise<void>;
}

export const makeScratch = async (): Promise<Scratch> => {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'fluxline-duckdb-'));
  return { directory, remove: () => rm(directory, { recursive: true, force: true }) };
};
