import { existsSync } from 'node:fs';
import path from 'node:path';
import { writeWhole } from '../../servers/private-files.mjs';
import { runCommand } from './commands.mjs';

const TIMEOUT_MS = 5 * 60_000;

/**
 * Loads the demo once for each data directory. It is an extra: when it fails, the service stays up,
 * and the next start tries again.
 * @param {{root: string, markFile: string, logFile: string, env: NodeJS.ProcessEnv,
 *   signal: AbortSignal}} options
 * @returns {Promise<string>} a remark
 */
export async function loadDemo({ root, markFile, logFile, env, signal }) {
  if (existsSync(markFile)) return 'loaded before';
  try {
    await runCommand(process.execPath, [path.join(root, 'dist', 'bin', 'demo.js')], {
      cwd: root,
      env,
      logFile,
      signal,
      timeoutMs: TIMEOUT_MS,
      what: 'The demo',
    });
  } catch (error) {
    signal.throwIfAborted();
    return `left out: ${error instanceof Error ? error.message : String(error)}`;
  }
  writeWhole(markFile, `${new Date().toISOString()}\n`);
  return 'loaded';
}
