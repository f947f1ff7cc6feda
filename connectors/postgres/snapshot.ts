import type { CallContext, HeldSnapshot, OpenDeps } from '../connector.js';
import { classify } from './classify.js';
import type { PostgresConfig } from './manifest.js';
import { beginReading, snapshotLost } from './reading.js';
import { openSession } from './session.js';

/** Often enough for the shortest limit that a server may have on idling in a transaction. */
const pingMs = 5_000;

/** So many pings without an answer, and nobody is there any more. */
const mostUnanswered = 6;

/** Keeps a state of the database readable for other sessions by staying in it. */
export const holdSnapshot = async (
  config: PostgresConfig,
  deps: OpenDeps,
  ctx: CallContext,
): Promise<HeldSnapshot> => {
  const { client, cut, close } = await openSession(config, deps, ctx);
  let lose: (reason: unknown) => void = () => undefined;
  const lost = new Promise<never>((_, reject) => {
    lose = reject;
  });
  // Whoever awaits it learns of it; nobody has to.
  lost.catch(() => undefined);

  let unanswered = 0;
  const ping = (): void => {
    unanswered += 1;
    if (unanswered > mostUnanswered) cut();
    else if (unanswered === 1) client.query('select 1').then(answered, broken);
  };
  const answered = (): void => {
    unanswered = 0;
  };
  const timer = setInterval(ping, pingMs);
  const broken = (error?: unknown): void => {
    clearInterval(timer);
    lose(snapshotLost(error));
  };
  const aborted = (): void => {
    cut();
    broken(ctx.signal.reason);
  };
  const letGo = async (): Promise<void> => {
    clearInterval(timer);
    ctx.signal.removeEventListener('abort', aborted);
    client.off('end', broken);
    await close();
  };

  client.once('end', broken);
  ctx.signal.addEventListener('abort', aborted, { once: true });
  try {
    ctx.signal.throwIfAborted();
    await client.query(beginReading);
    const { rows } = await client.query<{ id: string }>('select pg_export_snapshot() as id');
    const id = rows[0]?.id;
    if (id === undefined) throw snapshotLost();
    return { id, lost, release: letGo };
  } catch (error) {
    await letGo();
    ctx.signal.throwIfAborted();
    throw classify(error, deps.role);
  }
};
