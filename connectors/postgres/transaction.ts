import type pg from 'pg';
import type { CallContext, OpenDeps } from '../connector.js';
import { classify } from './classify.js';
import type { PostgresConfig } from './manifest.js';
import { openSession } from './session.js';

/**
 * One connection, one transaction. An abort cuts the connection, and with it whatever statement
 * runs: the server rolls back on its own, so nothing can commit after the caller has given up.
 * `begin` may be several statements; whatever has to come first in the transaction belongs there.
 */
export const inTransaction = async <T>(
  config: PostgresConfig,
  deps: Pick<OpenDeps, 'net' | 'role'>,
  ctx: CallContext,
  work: (client: pg.Client) => Promise<T>,
  begin = 'begin',
): Promise<T> => {
  const { client, cut, close } = await openSession(config, deps, ctx);
  ctx.signal.addEventListener('abort', cut, { once: true });
  try {
    ctx.signal.throwIfAborted();
    await client.query(begin);
    const value = await work(client);
    await client.query('commit');
    return value;
  } catch (error) {
    ctx.signal.throwIfAborted();
    throw classify(error, deps.role);
  } finally {
    ctx.signal.removeEventListener('abort', cut);
    await close();
  }
};
