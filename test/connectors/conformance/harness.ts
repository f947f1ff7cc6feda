/**
 * What a connector's test file says about its system, and all it has to say: what to look at and
 * how is the suite's (conformance.ts). Everything is the real thing.
 *
 *   conformance({ connector: 'mysql', system: 'MariaDB 10.11', network: true, start });
 *
 * A check that the manifest's capabilities call for either runs or is named in `skips` with its
 * reason; a part that is missing without a reason fails, and so does a reason nobody needs.
 */
import type { ConnectReason } from '../../../core/connecting.js';
import type { ConnectionConfig } from '../../../connectors/connector.js';
import type { DuckDatabases } from '../../../connectors/duckdbPort.js';
import type { StoreHarness } from '../stores/suite.js';

export type Part =
  'connection' | 'browse' | 'query' | 'read' | 'write' | 'copy' | 'files' | 'documents';

export interface Harness {
  /** Its id in the registry. */
  connector: string;
  /** As the report calls the system: nothing that differs from one machine to the next. */
  system: string;
  /** Whether it is reached over a network, through the guarded dialer. */
  network: boolean;
  start: () => Promise<System>;
  /** Why a check cannot be run against this system, by the check's name. */
  skips?: Readonly<Record<string, string>>;
  /** Stores that nobody has written to, for a connector of files; opened once the system runs. */
  files?: Omit<StoreHarness, 'title'>;
  /** Only these parts: for further versions of a system that is checked in full elsewhere. */
  parts?: readonly Part[];
}

export interface System {
  /** A connection that works, for every role. */
  config: ConnectionConfig;
  /** What must never be read in a message: passwords, keys, tokens. */
  secrets: readonly string[];
  /**
   * The same connection, to another host and port. It should wait for an answer as briefly as its
   * schema allows. Required where `network` is true.
   */
  at?: (host: string, port: number) => ConnectionConfig;
  /** What `at` alone cannot provoke. */
  problems?: Partial<Record<ConnectReason, Problem>>;
  database?: Database;
  /** A source that has the same rows whenever it is read, such as generated ones. */
  rows?: { config: unknown; expected: number };
  documents?: Documents;
  /** What opens database files, where the connector needs that. */
  duckdb?: DuckDatabases;
  stop: () => Promise<void>;
}

/** A connection that does not come about, or not any further. */
export interface Problem {
  config: ConnectionConfig;
  /** Makes it so; what it gives undoes that. */
  provoke?: () => Promise<() => Promise<void>>;
  /** What says it, where that is not `check`: reading a table that the user may not see. */
  source?: unknown;
}

export interface NewColumn {
  name: string;
  /** In the system's words. */
  type: string;
  nullable: boolean;
  comment?: string;
}

export interface NewTable {
  /** The connection's default where it is absent. */
  schema?: string;
  name: string;
  comment?: string;
  columns: readonly NewColumn[];
  /** The primary key, in its order. */
  key?: readonly string[];
}

export type Row = readonly (string | null)[];

export interface Block {
  /** Whether somebody waits for its end. */
  waiting: () => Promise<boolean>;
  release: () => Promise<void>;
}

/** A system of tables, seen by somebody who is not the connector. */
export interface Database {
  /** Where the connection looks when no schema is named. */
  schema: string;
  /** A schema beside it, which exists and is empty. */
  otherSchema?: string;
  /** Runs one statement; every cell as text. */
  run: (sql: string) => Promise<readonly Row[]>;
  /** The statements that create a table, comments included, in the system's SQL. */
  createSql: (table: NewTable) => readonly string[];
  quote: (name: string) => string;
  literal: (text: string) => string;
  /** An expression of text that differs wherever two values of a column do. */
  asText: (column: string) => string;
  /** An expression: a text of so many letters. */
  longText: (length: number) => string;
  /** The system's words for a whole number and for a text of any length that can be a key. */
  words: { integer: string; text: string };
  /** Names of tables and columns that it allows, the odder the better. */
  oddNames: readonly string[];
  /** A query that gives rows (n) from 1 to `count`, n a whole number. */
  numbers: (count: number) => string;
  /** Sessions of the connector that the server has now. */
  sessions: () => Promise<number>;
  /** A query (no other text: it is a `source.query`) that works for an hour before its first row. */
  endless?: string;
  /** Holds a table so that nobody else can write to it. */
  block?: (table: string) => Promise<Block>;
  /** Types, each with values at its edges as complete SQL expressions; NULL is always added. */
  types: readonly { type: string; values: readonly string[] }[];
  /** SQL that can be read but not run, and where it goes wrong, from 1, if the system says that. */
  broken?: { sql: string; position?: number };
}

/** Records of a topic or of an API, as JSON. */
export interface Documents {
  source?: {
    /** Of the node. Put before anything is read. */
    config: unknown;
    /** Makes these the records that are there. */
    fill: (records: readonly object[]) => Promise<void>;
    /** A record as it was put, out of a line that was read. */
    record: (line: Readonly<Record<string, unknown>>) => unknown;
  };
  destination?: {
    config: unknown;
    /** Everything that has arrived since it was asked last, with what tells repetitions apart. */
    arrived: () => Promise<readonly { key: string; record: unknown }[]>;
  };
}
