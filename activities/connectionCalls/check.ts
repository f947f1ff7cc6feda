import type { Checked } from '../../core/browse.js';
import { connectFailure } from '../../core/connecting.js';
import { RunFailure } from '../../core/failures.js';
import type { LiveCalls, TypedConnection } from '../../core/live.js';
import type { WorkspaceScope } from '../../core/scope.js';
import type { CallContext, Connector } from '../../connectors/connector.js';
import type { ActivityDeps } from '../deps.js';
import { noLog } from '../jobLog.js';
import { openAs, openSecrets } from '../openConnection.js';
import type { StoredConnection } from '../openConnection.js';
import { untilAborted } from './untilAborted.js';
import { gone, incapable, storedConnection } from './withConnector.js';

/** Less than a live call may take: that a system does not answer is an answer here. */
const patienceMs = 20_000;

const fromTyped = async (
  deps: ActivityDeps,
  scope: WorkspaceScope,
  { type, config, credentialId }: TypedConnection,
): Promise<StoredConnection> => {
  if (credentialId === null) return { type, config };
  const credential = await deps.repos.credentials.find(scope, credentialId);
  if (!credential) throw gone('credential');
  const secrets = openSecrets(deps, { credentialId, sealed: credential.sealed });
  return { type, config: { ...secrets, ...config } };
};

const checkConnector = async (connector: Connector, ctx: CallContext): Promise<Checked> => {
  if (connector.check) return connector.check(ctx);
  if (!connector.store) throw incapable('check');
  // Who can list files has reached them.
  await connector.store.list('', ctx)[Symbol.asyncIterator]().next();
  return { serverVersion: null, notes: [] };
};

/** Connects as a run would. That it does not work is an answer; only we ourselves fail. */
export const checkConnection = async (
  deps: ActivityDeps,
  scope: WorkspaceScope,
  question: LiveCalls['checkConnection']['asks'],
  signal: AbortSignal,
): Promise<LiveCalls['checkConnection']['answers']> => {
  const { type, config } = await ('connectionId' in question
    ? storedConnection(deps, scope, question.connectionId)
    : fromTyped(deps, scope, question));
  const deadline = AbortSignal.timeout(patienceMs);
  const either = AbortSignal.any([signal, deadline]);
  const started = performance.now();
  const latencyMs = (): number => Math.round(performance.now() - started);
  let connector: Connector | undefined;
  try {
    connector = await openAs(deps, type, config, 'source');
    const checking = checkConnector(connector, { signal: either, log: noLog });
    const checked = await untilAborted(checking, either);
    return { ok: true, latencyMs: latencyMs(), checked };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof RunFailure) {
      return { ok: false, latencyMs: latencyMs(), failure: error.failure };
    }
    if (!deadline.aborted) throw error;
    const { failure } = connectFailure('connect_timeout', { role: 'source' });
    return { ok: false, latencyMs: latencyMs(), failure };
  } finally {
    await connector?.close();
  }
};
