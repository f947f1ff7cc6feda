import { setTimeout as delay } from 'node:timers/promises';
import { removePidFile, stopProcess, writePidFile } from '../../servers/processes.mjs';

/**
 * @typedef {import('../../servers/processes.mjs').Spawned} Spawned
 * @typedef {import('../../servers/processes.mjs').StopStep} StopStep
 * @typedef {(ref: import('../../servers/processes.mjs').ProcessRef) => void} OnSpawn
 * @typedef {object} Definition
 * @property {string} name
 * @property {string} logFile
 * @property {(onSpawn: OnSpawn) => Promise<Spawned>} launch resolves when it is ready
 * @property {StopStep[]} steps
 * @typedef {object} Surroundings
 * @property {string} runDirectory
 * @property {(line: string) => void} say
 * @property {AbortSignal} leaving once it is aborted, nothing is started any more
 */

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
const STEADY_MS = 60_000; // who ran this long starts over with the first pause

/** A child that is started again when it dies, with growing pauses, until it is told to stop. */
export class Supervised {
  /** @type {Spawned | null} */
  #running = null;
  #kept = Promise.resolve();
  deaths = 0;

  /**
   * @param {Definition} definition
   * @param {Surroundings} surroundings
   */
  constructor(definition, surroundings) {
    this.definition = definition;
    this.surroundings = surroundings;
  }

  async start() {
    this.#kept = this.#keepRunning(await this.#launch());
  }

  async #launch() {
    // Written before it is ready, so that a kill at any moment leaves nothing unknown.
    const running = await this.definition.launch((ref) =>
      writePidFile(this.surroundings.runDirectory, this.definition.name, ref),
    );
    this.#running = running;
    return running;
  }

  /** @param {Spawned} first */
  async #keepRunning(first) {
    const { leaving, runDirectory, say } = this.surroundings;
    const { name } = this.definition;
    let pauseMs = FIRST_PAUSE_MS;
    /** @type {Spawned | null} */
    let running = first;
    while (running) {
      const since = Date.now();
      const { code, signal } = await running.exited;
      removePidFile(runDirectory, name);
      if (leaving.aborted) return;
      this.deaths += 1;
      const how = signal ? `by ${signal}` : `with code ${code}`;
      say(`${name} (process ${running.pid}) ended ${how}; starting it again`);
      if (Date.now() - since >= STEADY_MS) pauseMs = FIRST_PAUSE_MS;
      running = await this.#relaunch(pauseMs);
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    }
  }

  /**
   * @param {number} firstPauseMs
   * @returns {Promise<Spawned | null>} null when told to stop
   */
  async #relaunch(firstPauseMs) {
    const { leaving, say } = this.surroundings;
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      try {
        await delay(pauseMs, undefined, { signal: leaving });
        const running = await this.#launch();
        if (leaving.aborted) {
          await stopProcess(running, this.definition.steps);
          return null;
        }
        say(`${this.definition.name} runs again, as process ${running.pid}`);
        return running;
      } catch (error) {
        if (leaving.aborted) return null;
        say(error instanceof Error ? error.message : String(error));
      }
    }
  }

  /** The order to leave must have been given before. */
  async stop() {
    if (this.#running) await stopProcess(this.#running, this.definition.steps);
    await this.#kept;
    removePidFile(this.surroundings.runDirectory, this.definition.name);
  }

  kill() {
    if (!this.#running) return;
    // Not awaited: the ordered stop that is under way sees it end.
    stopProcess(this.#running, [{ signal: 'SIGKILL', waitMs: 5_000 }]).catch(() => {});
  }
}
