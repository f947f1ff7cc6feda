/**
 * What a connector of DuckDB's files needs of whoever has a DuckDB: programs over one file, each in
 * a process that can be killed and that can reach nothing but the file and one directory.
 */

export interface DatabaseProgram {
  /** Absolute, real; one that is not there yet is made where it is to be written. */
  file: string;
  /** The catalog that the file is; names without one mean it. */
  name: string;
  access: 'read' | 'write';
  /** The only other place that can be read and written. */
  directory: string;
  /** Run one after the other; what is not committed in the end is rolled back. */
  statements: readonly string[];
}

export interface DatabaseResult {
  /** Whole numbers as numbers where they are exact; decimals, dates and the like as text. */
  rows: readonly (readonly unknown[])[];
  /** Rows that a COPY or a change reports. */
  changed: number;
}

/** In DuckDB's own words, of which users see only some. */
export interface DatabaseProblem {
  /** Which of the statements it was, from 0; -1: the file could not be opened. */
  statement: number;
  /** `Binder`, `Conversion`, `Constraint`… */
  type: string;
  message: string;
  /** The byte in the statement's text that it is about. */
  position?: number;
}

export type DatabaseAnswer = { results: readonly DatabaseResult[] } | { problem: DatabaseProblem };

export interface ScratchDirectory {
  path: string;
  remove(): Promise<void>;
}

export interface DuckDatabases {
  run(program: DatabaseProgram, signal: AbortSignal): Promise<DatabaseAnswer>;
  /** An empty directory for files on their way into a database or out of it. */
  scratch(): Promise<ScratchDirectory>;
}
