import { isRunning, processIdentity } from '../../servers/processes.mjs';

/**
 * npm passes Ctrl-C on to a process that the terminal told already: two signals this close together
 * are one wish.
 */
const ONE_WISH_MS = 1_000;
const LAUNCHER_CHECK_MS = 1_000;

/**
 * @param {{onSecond: () => void, launcherPid: number | undefined}} options
 * @returns {{leaving: AbortController, whenLeaving: Promise<void>}}
 */
export function listenForStop({ onSecond, launcherPid }) {
  const leaving = new AbortController();
  let firstAt = 0;
  const stop = () => {
    if (leaving.signal.aborted) {
      if (firstAt > 0 && Date.now() - firstAt > ONE_WISH_MS) onSecond();
      return;
    }
    firstAt = Date.now();
    leaving.abort();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);
  if (launcherPid !== undefined) stopWith(launcherPid, leaving);
  const whenLeaving = new Promise((resolve) => {
    leaving.signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  return { leaving, whenLeaving };
}

/**
 * A killed npm cannot pass anything on; what it started must not stay behind.
 * @param {number} launcherPid
 * @param {AbortController} leaving
 */
function stopWith(launcherPid, leaving) {
  const launcher = { pid: launcherPid, identity: processIdentity(launcherPid) ?? '' };
  const timer = setInterval(() => {
    if (!isRunning(launcher)) leaving.abort();
  }, LAUNCHER_CHECK_MS);
  leaving.signal.addEventListener('abort', () => clearInterval(timer), { once: true });
}
