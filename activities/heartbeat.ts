import { Context } from '@temporalio/activity';

/** Shows signs of life from a timer while the body works; only so does it hear of a cancel. */
export const withHeartbeat = async <T>(everyMs: number, body: () => Promise<T>): Promise<T> => {
  const context = Context.current();
  const timer = setInterval(() => context.heartbeat(), everyMs);
  try {
    context.heartbeat();
    return await body();
  } finally {
    clearInterval(timer);
  }
};
