import { Context } from '@temporalio/activity';
import { RunFailure } from '../core/failures.js';
import type { Failure } from '../core/failures.js';
import type { LiveCallName, LiveCalls, LiveReply } from '../core/live.js';
import type { WorkspaceScope } from '../core/scope.js';
import type { LiveInput } from '../workflows/contract.js';
import { bindGraph } from './bindGraph.js';
import { checkConnection } from './connectionCalls/check.js';
import { fileSchema, listFiles } from './connectionCalls/files.js';
import { listCatalogs, listColumns, listSchemas, listTables } from './connectionCalls/names.js';
import { preview } from './connectionCalls/preview.js';
import { runQuery } from './connectionCalls/query.js';
import { untilAborted } from './connectionCalls/untilAborted.js';
import type { ActivityDeps } from './deps.js';
import { reportingFailures } from './failure.js';
import { withHeartbeat } from './heartbeat.js';

type Answerers = {
  [Call in LiveCallName]: (
    deps: ActivityDeps,
    scope: WorkspaceScope,
    question: LiveCalls[Call]['asks'],
    signal: AbortSignal,
  ) => Promise<LiveCalls[Call]['answers']>;
};

const answerers: Answerers = {
  bindGraph,
  checkConnection,
  listSchemas,
  listTables,
  listColumns,
  listCatalogs,
  preview,
  listFiles,
  fileSchema,
  runQuery,
};

/** Whoever waits goes away when it takes longer; a sign of life each second lets us notice. */
const heartbeatMs = 1_000;

/** Less than the workflow gives it: what a system did not do in time is said, not guessed. */
const patienceMs = 25_000;

const mostAnswerBytes = 10 * 1024 * 1024;

const late: Failure = {
  code: 'source_timeout',
  class: 'transient',
  message: `It did not answer within ${patienceMs / 1000} s: ask for less, or try again when it is less busy.`,
};

const tooLarge: Failure = {
  code: 'resource_exhausted',
  class: 'config',
  message: 'The answer is too large to be shown: ask for less.',
};

/** Answers a question, or says why there is no answer; throws what is a fault of ours. */
export const answerQuestion = async <Call extends LiveCallName>(
  deps: ActivityDeps,
  scope: WorkspaceScope,
  call: Call,
  question: LiveCalls[Call]['asks'],
  wanted: AbortSignal,
): Promise<LiveReply<Call>> => {
  const deadline = AbortSignal.timeout(patienceMs);
  const signal = AbortSignal.any([wanted, deadline]);
  try {
    const answer = answerers[call](deps, scope, question, signal);
    return { ok: true, answer: await untilAborted(answer, signal) };
  } catch (error) {
    wanted.throwIfAborted();
    if (error instanceof RunFailure) return { ok: false, failure: error.failure };
    if (deadline.aborted) return { ok: false, failure: late };
    throw error;
  }
};

export const makeLiveCalls = (deps: ActivityDeps) => ({
  /** Reads the question, answers it, and lays the answer down under the same id. */
  answerLive: ({ call, id }: LiveInput): Promise<void> =>
    reportingFailures(deps.log, () =>
      withHeartbeat(heartbeatMs, async () => {
        const { cancellationSignal: signal } = Context.current();
        const input = await deps.repos.live.take(id);
        // Taken already: whoever took it answers, or nobody waits any more.
        if (!input) return;
        const scope = { workspaceId: input.workspaceId };
        const place = { table: 'live_inputs', row: id, field: 'sealed' };
        const question = JSON.parse(deps.box.open(input.sealed, place)) as never;
        const reply = await answerQuestion(deps, scope, call, question, signal);
        const text = JSON.stringify(reply);
        const fits = Buffer.byteLength(text) <= mostAnswerBytes;
        await deps.repos.live.answer(
          scope,
          id,
          fits ? text : JSON.stringify({ ok: false, failure: tooLarge }),
        );
      }),
    ),
});
