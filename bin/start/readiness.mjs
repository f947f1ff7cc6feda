import { StartError } from '../../servers/errors.mjs';
import { readIfThere } from '../../servers/private-files.mjs';
import { waitUntil } from '../../servers/waiting.mjs';

/** @typedef {import('./supervised.mjs').Supervised} Supervised */

const TIMEOUT_MS = 120_000;
const DEATHS_TO_GIVE_UP = 3;

/**
 * Until the API answers 200 on /readyz: database, migrations, Temporal and a worker on every queue.
 * @param {string} apiUrl
 * @param {{children: Supervised[], logs: string, signal: AbortSignal}} options
 */
export async function waitUntilReady(apiUrl, { children, logs, signal }) {
  let missing = 'no answer';
  const asked = async () => {
    const failing = children.find(({ deaths }) => deaths >= DEATHS_TO_GIVE_UP);
    if (failing) throw new StartError(describeDeath(failing));
    try {
      const answer = await fetch(`${apiUrl}/readyz`, { signal: AbortSignal.timeout(5_000) });
      if (answer.status === 200) return true;
      missing = describeMissing(await answer.text());
    } catch {
      missing = 'no answer';
    }
    return false;
  };
  const what = () => `Getting ready (missing: ${missing}; logs in ${logs})`;
  await waitUntil(asked, { what, timeoutMs: TIMEOUT_MS, everyMs: 150, signal });
}

/** @param {Supervised} child */
function describeDeath({ definition: { name, logFile } }) {
  const lines = (readIfThere(logFile) ?? '').trim().split('\n');
  const complaint = lines.slice(-30).find((line) => /error/i.test(line)) ?? lines.at(-1) ?? '';
  return `${name} ended ${DEATHS_TO_GIVE_UP} times while starting: ${complaint.trim().slice(0, 300)} (see ${logFile}).`;
}

/** @param {string} body */
function describeMissing(body) {
  try {
    const { missing } = /** @type {{missing?: unknown}} */ (JSON.parse(body));
    if (Array.isArray(missing)) return missing.map(String).join(', ');
  } catch {
    // not JSON: the text itself
  }
  return body.trim().replace(/\s+/g, ' ').slice(0, 300) || 'no answer';
}
