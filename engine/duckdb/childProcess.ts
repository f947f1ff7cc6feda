import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import type { RunFailure } from '../../core/failures.js';
import { failureOf, lostFailure, memoryFailure, sizeFailure } from './failure.js';
import type { DuckResult } from './program.js';
import type { ChildReply, ChildRequest } from './wire.js';

export interface DuckChild {
  readonly pid: number | undefined;
  /** One at a time. Rejects as soon as `signal` aborts; the child is not usable then. */
  run(request: ChildRequest, signal: AbortSignal): Promise<readonly DuckResult[]>;
  /** False once it has ended, was told to, or should make room for a fresh one. */
  usable(): boolean;
  kill(): Promise<void>;
}

/** Nothing of ours reaches the child, least of all secrets. */
const start = (file: string): ChildProcess =>
  fork(file, {
    env: { TZ: 'UTC' },
    execArgv: [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });

type Ended = { results: readonly DuckResult[] } | { failure: RunFailure };

const endedWith = (reply: ChildReply): Ended => {
  switch (reply.kind) {
    case 'done':
      return { results: reply.results };
    case 'failed':
      return { failure: failureOf(reply.error) };
    case 'memory':
      return { failure: memoryFailure() };
    case 'results-too-large':
      return { failure: sizeFailure() };
  }
};

export const startChild = (file: string): DuckChild => {
  const child = start(file);
  let usable = true;
  let finish: ((ended: Ended) => void) | undefined;
  const gone = new Promise<void>((resolve) => {
    const end = (): void => {
      usable = false;
      finish?.({ failure: lostFailure() });
      resolve();
    };
    child.once('exit', end);
    // It could not be started, or no longer be spoken to.
    child.on('error', () => {
      child.kill('SIGKILL');
      end();
    });
  });
  child.on('message', (message) => {
    const reply = message as ChildReply;
    if (reply.kind === 'memory' || ('worn' in reply && reply.worn)) usable = false;
    finish?.(endedWith(reply));
  });
  // A worker that has nothing else to do is not kept alive by its children.
  child.unref();
  child.channel?.unref();

  const kill = async (): Promise<void> => {
    usable = false;
    child.kill('SIGKILL');
    await gone;
  };

  const run = async (
    request: ChildRequest,
    signal: AbortSignal,
  ): Promise<readonly DuckResult[]> => {
    child.ref();
    child.channel?.ref();
    const aborted = new AbortController();
    try {
      const ended = await new Promise<Ended>((resolve, reject) => {
        finish = resolve;
        const stop = (): void => reject(signal.reason as Error);
        signal.addEventListener('abort', stop, { signal: aborted.signal });
        if (signal.aborted) stop();
        else if (!usable) resolve({ failure: lostFailure() });
        else child.send(request, (error) => error && resolve({ failure: lostFailure() }));
      });
      if ('failure' in ended) throw ended.failure;
      return ended.results;
    } finally {
      finish = undefined;
      aborted.abort();
      if (!usable || signal.aborted) await kill();
      else {
        child.unref();
        child.channel?.unref();
      }
    }
  };

  return { pid: child.pid, run, usable: () => usable, kill };
};
