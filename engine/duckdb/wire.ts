/** What the pool and its child processes say to each other, as JSON. */
import type { DuckProgram, DuckResult } from './program.js';

export interface ChildRequest {
  program: DuckProgram;
  /** What DuckDB is allowed for its buffers. */
  memoryBytes: number;
  /** What the whole process may grow to: lists and hash tables may pass DuckDB's own limit. */
  processBytes: number;
  maxRows: number;
}

/** An error of DuckDB in its own words, of which users see only some. */
export interface EngineError {
  /** Which of the program's statements it was, from 0; -1 while settings were made. */
  statement: number;
  /** `Binder`, `Conversion`, `Out of Memory`… */
  type: string;
  message: string;
  /** Found before any row was looked at. */
  preparing: boolean;
  /** The byte in the statement's text that it is about. */
  position?: number;
}

export type ChildReply =
  | { kind: 'done'; results: readonly DuckResult[]; worn: boolean }
  | { kind: 'failed'; error: EngineError; worn: boolean }
  | { kind: 'results-too-large' }
  | { kind: 'memory' };
