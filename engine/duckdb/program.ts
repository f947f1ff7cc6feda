/** What is asked of DuckDB: statements to run one after the other on a database that is empty. */
export interface DuckProgram {
  /** The only place it may write to, and its temporary files. It exists and is empty or ours. */
  directory: string;
  /** Files outside of it that it may read: absolute, real paths. */
  reads: readonly string[];
  /** How many threads may work on it; one by default, since there are others beside it. */
  threads?: number;
  /** Rows may come in another order than they are read in, which takes less memory. */
  unordered?: boolean;
  /** Attached before the doors are closed, and what names without a catalog mean. */
  database?: AttachedDatabase;
  statements: readonly DuckStatement[];
}

/** A database file outside of the directory. Another process that has it open may be in the way. */
export interface AttachedDatabase {
  /** Absolute, and real but for a file that is not there yet: that one is made. */
  file: string;
  /** The catalog that it is. */
  name: string;
  readOnly: boolean;
}

export interface DuckStatement {
  sql: string;
  /** Bound to `?` in order. */
  values?: readonly string[];
}

/** Rows as JSON has them, numbers beyond 2^53 and everything odd as text; cut after `maxRows`. */
export interface DuckResult {
  rows: readonly (readonly unknown[])[];
  /** Rows that a COPY or a change reports. */
  changed: number;
}

/** A DuckDB in a process of its own, one program at a time each. */
export interface DuckDb {
  run(program: DuckProgram, signal: AbortSignal): Promise<readonly DuckResult[]>;
  close(): Promise<void>;
}
