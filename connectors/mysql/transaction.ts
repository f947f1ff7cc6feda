import type { CallContext, OpenDeps } from '../connector.js';
import { classify } from './classify.js';
import type { MysqlConfig } from './manifest.js';
import { openSession } from './session.js';
import type { Session } from './session.js';

/** One connection for some statements. An abort cuts it, and with it whatever runs there. */
export const inSession = async <T>(
  config: MysqlConfig,
  deps: Pick<OpenDeps, 'net' | 'role'>,
  ctx: CallContext,
  work: (session: Session) => Promise<T>,
): Promise<T> => {
  const session = await openSession(config, deps, ctx);
  ctx.signal.addEventListener('abort', session.cut, { once: true });
  try {
    ctx.signal.throwIfAborted();
    return await work(session);
  } catch (error) {
    ctx.signal.throwIfAborted();
    throw classify(error, deps.role);
  } finally {
    ctx.signal.removeEventListener('abort', session.cut);
    await session.close();
  }
};

/**
 * All of it or nothing. A statement that changes a table's shape would commit what came before it:
 * there is none of them in here.
 */
export const transact = async <T>(
  session: Session,
  work: () => Promise<T>,
  end: 'commit' | 'rollback' = 'commit',
): Promise<T> => {
  await session.run('set transaction isolation level read committed');
  await session.run('start transaction read write');
  try {
    const value = await work();
    await session.run(end);
    return value;
  } catch (error) {
    // Where the line is cut, the server does it by itself.
    await session.run('rollback').catch(() => undefined);
    throw error;
  }
};
