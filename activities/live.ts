import { Context } from '@temporalio/activity';
import { RunFailure } from '../core/failures.js';
import type { LiveCallName, LiveCalls, LiveReply } from '../core/live.js';
import type { WorkspaceScope } from '../core/scope.js';
import type { LiveInput } from '../workflows/contract.js';
import { bindGraph } from './bindGraph.js';
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

const answerers: Answerers = { bindGraph };

/** Whoever waits goes away when it takes longer; a sign of life each second lets us notice. */
const heartbeatMs = 1_000;

const replyTo = async <Call extends LiveCallName>(
  deps: ActivityDeps,
  scope: WorkspaceScope,
  call: Call,
  question: string,
  signal: AbortSignal,
): Promise<LiveReply<Call>> => {
  try {
    const asked = JSON.parse(question) as LiveCalls[Call]['asks'];
    return { ok: true, answer: await answerers[call](deps, scope, asked, signal) };
  } catch (error) {
    if (signal.aborted || !(error instanceof RunFailure)) throw error;
    return { ok: false, failure: error.failure };
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
        const question = deps.box.open(input.sealed, place);
        const reply = await replyTo(deps, scope, call, question, signal);
        await deps.repos.live.answer(scope, id, JSON.stringify(reply));
      }),
    ),
});
