import type { ConnectorLog } from '../connectors/connector.js';
import type { Repos } from '../db/repos/index.js';
import type { LogLevel, LogLine } from '../db/repos/logs.js';
import type { WorkspaceScope } from '../core/scope.js';

export interface JobLog {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
  /** Writes what is buffered; the last thing an activity does. */
  flush(): Promise<void>;
  /** Writes it in the transaction of what it reports. */
  flushInto(tx: Repos): Promise<void>;
}

/** Where nobody reads along. */
export const noLog: ConnectorLog = { info: () => undefined, warn: () => undefined };

type BufferedLine = Omit<LogLine, 'ageMs'> & { at: number };

/** Ages, not times: only the database's clock is everyone's. */
const aged = (lines: readonly BufferedLine[]): LogLine[] =>
  lines.map(({ at, ...line }) => ({ ...line, ageMs: performance.now() - at }));

const flushEveryMs = 2_000;
const maxLinesPerFlush = 200;

/**
 * Lines of one activity for the user, written at most every two seconds and at most 200 at a time.
 * A line that cannot be written is no reason to fail the work it is about.
 */
export const makeJobLog = (
  logs: Repos['logs'],
  scope: WorkspaceScope,
  jobId: string,
  nodeId: string | null,
): JobLog => {
  let lines: BufferedLine[] = [];
  let dropped = 0;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  const take = (): BufferedLine[] => {
    clearTimeout(timer);
    timer = undefined;
    const batch = lines;
    if (dropped > 0) batch.push(line('warn', `${dropped} more lines in this moment are not kept.`));
    lines = [];
    dropped = 0;
    return batch;
  };

  const write = (): void => {
    const batch = take();
    writing = writing.then(() => logs.append(scope, jobId, aged(batch))).catch(() => undefined);
  };

  const line = (level: LogLevel, message: string): BufferedLine => ({
    at: performance.now(),
    level,
    nodeId,
    message,
  });

  const add = (level: LogLevel, message: string): void => {
    if (lines.length >= maxLinesPerFlush) dropped += 1;
    else lines.push(line(level, message));
    timer ??= setTimeout(write, flushEveryMs);
  };

  return {
    info: (message) => add('info', message),
    warn: (message) => add('warn', message),
    error: (message) => add('error', message),
    flush: async () => {
      if (lines.length > 0) write();
      await writing;
    },
    flushInto: async (tx) => {
      await writing;
      await tx.logs.append(scope, jobId, aged(take()));
    },
  };
};
