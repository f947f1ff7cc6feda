import type { Issue } from './errors.js';
import type { Failure } from './failures.js';

/** Calls that somebody waits for: what each is asked and what it answers. */
export interface LiveCalls {
  /** Whether every expression of a graph means something over the columns that arrive there. */
  bindGraph: { asks: { nodes: string; edges: string }; answers: { issues: Issue[] } };
}

export type LiveCallName = keyof LiveCalls;

/** What a worker leaves in reply: the answer, or why there is none. */
export type LiveReply<Call extends LiveCallName> =
  { ok: true; answer: LiveCalls[Call]['answers'] } | { ok: false; failure: Failure };
