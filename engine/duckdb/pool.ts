import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { startChild } from './childProcess.js';
import type { DuckChild } from './childProcess.js';
import { timeFailure } from './failure.js';
import type { DuckDb, DuckProgram, DuckResult } from './program.js';
import { makeSlots } from './slots.js';

export interface DuckDbSettings {
  /** Programs that run side by side, each in a process of its own. */
  slots: number;
  /** What DuckDB may use in each. */
  memoryBytes: number;
  /** How long a program may take, waiting for a slot not counted. */
  timeoutMs: number;
  /** A result is cut after so many rows. */
  maxRows: number;
  /** The compiled child, where it does not lie beside this file. */
  childFile?: string;
}

/** DuckDB's limit bounds its buffers; beside them are the process itself, lists and strings. */
const processBytesOf = (memoryBytes: number): number => memoryBytes * 1.5 + 192 * 1024 * 1024;

/** DuckDB compares real paths; a directory reached through a link is allowed by what it is. */
const withRealPaths = async (program: DuckProgram): Promise<DuckProgram> => ({
  ...program,
  directory: await realpath(program.directory),
  reads: await Promise.all(program.reads.map((file) => realpath(file))),
});

export const makeDuckDb = (settings: DuckDbSettings): DuckDb => {
  const { memoryBytes, maxRows, timeoutMs } = settings;
  const childFile = settings.childFile ?? path.join(__dirname, 'child.js');
  const slots = makeSlots(settings.slots);
  const children = new Set<DuckChild>();
  const idle: DuckChild[] = [];
  const closing = new AbortController();

  const take = (): DuckChild => {
    for (let child = idle.pop(); child; child = idle.pop()) {
      if (child.usable()) return child;
      children.delete(child);
    }
    const child = startChild(childFile);
    children.add(child);
    return child;
  };

  const giveBack = (child: DuckChild): void => {
    if (child.usable() && !closing.signal.aborted) idle.push(child);
    else children.delete(child);
  };

  const runOn = async (
    child: DuckChild,
    program: DuckProgram,
    signal: AbortSignal,
  ): Promise<readonly DuckResult[]> => {
    const clock = new AbortController();
    const limit = setTimeout(() => clock.abort(timeFailure(timeoutMs)), timeoutMs);
    try {
      return await child.run(
        { program, memoryBytes, processBytes: processBytesOf(memoryBytes), maxRows },
        AbortSignal.any([signal, clock.signal]),
      );
    } finally {
      clearTimeout(limit);
    }
  };

  return {
    run: async (program, signal) => {
      const until = AbortSignal.any([signal, closing.signal]);
      until.throwIfAborted();
      const real = await withRealPaths(program);
      const leave = await slots.enter(until);
      try {
        const child = take();
        try {
          return await runOn(child, real, until);
        } finally {
          giveBack(child);
        }
      } finally {
        leave();
      }
    },
    close: async () => {
      closing.abort(new Error('DuckDB was closed.'));
      await Promise.all([...children].map((child) => child.kill()));
    },
  };
};
