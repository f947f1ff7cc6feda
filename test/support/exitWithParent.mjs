/**
 * Preloaded into children of tests: when Jest is killed, their standard input closes, and they stop
 * as if told to. Worker threads preload it too, and have no standard input of their own.
 */
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  process.stdin.once('end', () => process.kill(process.pid, 'SIGTERM'));
  process.stdin.once('error', () => process.kill(process.pid, 'SIGTERM'));
  process.stdin.resume();
  process.stdin.unref();
}
