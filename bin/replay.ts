/**
 * npm run replay -- <run id | history file> [--inspect]
 *
 * Prints what happened in a workflow and replays it against the workflows of this working tree;
 * names the first event that no longer fits. With --inspect it waits for a debugger first.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import inspector from 'node:inspector';
import { join } from 'node:path';
import { WorkflowNotFoundError } from '@temporalio/client';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import type { History } from '@temporalio/common/lib/proto-utils.js';
import { DefaultLogger, Runtime, Worker, makeTelemetryFilterString } from '@temporalio/worker';
import { DeterminismViolationError } from '@temporalio/workflow';
import { jobTypes, workflowIdOf } from '../core/jobs.js';
import { openTemporal } from '../dispatch/connect.js';
import { timeline } from './timeline.js';

const fetchHistory = async (runId: string): Promise<History> => {
  const client = openTemporal({
    address: process.env['TEMPORAL_ADDRESS'] ?? '127.0.0.1:7233',
    namespace: process.env['TEMPORAL_NAMESPACE'] ?? 'default',
  });
  try {
    for (const type of jobTypes) {
      const id = (process.env['FLX_QUEUE_PREFIX'] ?? '') + workflowIdOf({ type, id: runId });
      try {
        return await client.workflow.getHandle(id).fetchHistory();
      } catch (error) {
        if (!(error instanceof WorkflowNotFoundError)) throw error;
      }
    }
  } finally {
    await client.connection.close();
  }
  throw new Error(`There is no workflow of a run ${runId}, and no file of that name.`);
};

const load = async (subject: string): Promise<History> =>
  existsSync(subject)
    ? historyFromJSON(JSON.parse(await readFile(subject, 'utf8')))
    : fetchHistory(subject);

const replay = async (history: History): Promise<string | undefined> => {
  try {
    await Worker.runReplayHistory(
      { workflowBundle: { codePath: join(__dirname, '..', 'workflow-bundle.js') } },
      history,
    );
    return undefined;
  } catch (error) {
    if (error instanceof DeterminismViolationError) return error.message;
    throw error;
  }
};

/**
 * The violation names types, not events. So replay what each workflow task had seen, one task more
 * at a time: the first that fails issued the command that no longer fits.
 */
const firstMisfit = async (history: History): Promise<string> => {
  const events = history.events ?? [];
  const seen = events.flatMap(({ workflowTaskScheduledEventAttributes }, at) =>
    workflowTaskScheduledEventAttributes ? [at] : [],
  );
  let issued = 0;
  for (const end of [...seen.slice(1), events.length]) {
    const message = await replay({ events: events.slice(0, end) });
    if (message !== undefined) return nameMisfit(history, issued, end, message);
    issued = end;
  }
  return 'the end of the history';
};

/** Among the events of one task, the one whose type the violation mentions. */
const nameMisfit = (history: History, from: number, to: number, message: string): string => {
  const part = timeline(history).filter((line) => {
    const id = Number.parseInt(line, 10);
    return id > from && id <= to && !line.includes('Started') && !line.includes('Completed');
  });
  const named = part.find((line) => message.includes(`'${line.trim().split(/\s+/)[3] ?? ''}'`));
  return (named ?? part[0] ?? message).trim();
};

const run = async (): Promise<number> => {
  const [subject, ...flags] = process.argv.slice(2);
  if (subject === undefined) {
    console.error('Usage: npm run replay -- <run id | history file> [--inspect]');
    return 2;
  }
  const inspect = flags.includes('--inspect');
  if (inspect) inspector.open(9229, '127.0.0.1', true);
  const history = await load(subject);
  for (const line of timeline(history)) console.log(line);
  Runtime.install({
    logger: new DefaultLogger('ERROR', () => undefined),
    telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core: 'ERROR' }) } },
  });
  const mismatch = await replay(history);
  if (mismatch === undefined) {
    console.log('\nThe history replays against this working tree.');
    return 0;
  }
  console.log(`\nFirst event that no longer fits: ${await firstMisfit(history)}\n${mismatch}`);
  return 1;
};

run().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(2);
  },
);
