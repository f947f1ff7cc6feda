import { randomUUID } from 'node:crypto';
import type { Live } from '../api/ports.js';
import { AppError } from '../core/errors.js';
import type { LiveCallName, LiveReply } from '../core/live.js';
import { liveFailure } from '../core/liveFailure.js';
import type { Repos } from '../db/repos/index.js';
import { callLive } from '../dispatch/live.js';
import type { DispatchDeps } from '../dispatch/deps.js';
import type { Box } from '../secrets/box.js';

/**
 * The question is sealed and laid down, a worker is told where, and the answer is taken from there:
 * only the id passes through Temporal.
 */
export const makeLive =
  (repos: Repos, box: Box, dispatch: DispatchDeps): Live =>
  async <Call extends LiveCallName>(
    ...[scope, call, question, signal]: Parameters<Live>
  ): Promise<Extract<LiveReply<Call>, { ok: true }>['answer']> => {
    const id = randomUUID();
    const place = { table: 'live_inputs', row: id, field: 'sealed' };
    await repos.live.ask(scope, id, box.seal(JSON.stringify(question), place));
    try {
      await callLive(dispatch, { call, id }, signal);
    } catch (error) {
      // What was asked may hold a password: it does not lie about until somebody sweeps it away.
      await repos.live.forget(scope, id).catch(() => undefined);
      throw error;
    }
    const text = await repos.live.read(scope, id);
    if (text === undefined) throw new AppError('unavailable', 'The answer was lost; try again.');
    const reply = JSON.parse(text) as LiveReply<Call>;
    if (reply.ok) return reply.answer;
    throw liveFailure(reply.failure);
  };
