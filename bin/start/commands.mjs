import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { StartError } from '../../servers/errors.mjs';

const KEPT_OUTPUT = 256 * 1024;

/** A command that ran and failed; `output` is the end of what it printed. */
export class CommandFailed extends StartError {
  /**
   * @param {string} message
   * @param {string} output
   */
  constructor(message, output) {
    super(message);
    this.output = output;
  }
}

/**
 * Runs a command to its end.
 * @param {string} command
 * @param {string[]} args
 * @param {{cwd: string, env?: NodeJS.ProcessEnv, timeoutMs: number, logFile?: string | undefined,
 *   what: string, signal?: AbortSignal | undefined}} options `what` opens the failure's line
 * @returns {Promise<string>} its standard output
 */
export function runCommand(command, args, { cwd, env, timeoutMs, logFile, what, signal }) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: timeoutMs,
      ...(env && { env }),
      ...(signal && { signal }),
    });
    let stdout = '';
    let all = '';
    /** @param {Buffer} chunk */
    const keep = (chunk) => {
      if (logFile !== undefined) appendFileSync(logFile, chunk);
      all = `${all}${chunk.toString('utf8')}`.slice(-KEPT_OUTPUT);
    };
    child.stdout.on('data', (chunk) => {
      stdout = `${stdout}${String(chunk)}`.slice(-KEPT_OUTPUT);
      keep(chunk);
    });
    child.stderr.on('data', keep);
    child.once('error', (error) =>
      reject(
        signal?.aborted
          ? signal.reason
          : new CommandFailed(`${what} failed: ${error.message}.`, all),
      ),
    );
    child.once('close', (code, ended) => {
      if (code === 0) return resolve(stdout);
      const reason = firstComplaint(all) ?? (ended ? `ended by ${ended}` : `exit code ${code}`);
      const see = logFile === undefined ? '' : ` See ${logFile}.`;
      return reject(new CommandFailed(`${what} failed: ${reason.replace(/\.$/, '')}.${see}`, all));
    });
  });
}

/** @param {string} output */
function firstComplaint(output) {
  const lines = output.split('\n').map((line) => line.trim());
  return lines.find(
    (line) => /\berror\b/i.test(line) && !/^npm (error|ERR!) (code|errno)/.test(line),
  );
}
