import type { Checked, NamePage, PageWanted, Rows, TableColumn, TableInfo } from './browse.js';
import type { Issue } from './errors.js';
import type { Failure } from './failures.js';
import type { FileFormat } from './nodes/filePaths.js';

/** The SQL of a system that can be asked. */
export type Dialect = 'postgres' | 'mysql' | 'duckdb';

/** A stored connection. */
interface Stored {
  connectionId: string;
}

/** Settings that somebody has typed, and perhaps a stored credential that holds the rest. */
export interface TypedConnection {
  type: string;
  config: Readonly<Record<string, unknown>>;
  credentialId: string | null;
}

export type CheckAnswer = { latencyMs: number } & (
  { ok: true; checked: Checked } | { ok: false; failure: Failure }
);

interface FileEntry {
  key: string;
  bytes: number;
  modifiedAt: string;
}

/** One level below a prefix where a delimiter is given, else all there is below it. */
export interface FilePage {
  files: readonly FileEntry[];
  prefixes: readonly string[];
  next: string | null;
}

export interface FileColumns {
  format: FileFormat;
  columns: readonly { name: string; type: string; nullable: boolean }[];
}

/** What the system, or we, have against a query is an answer. */
export type RunQueryAnswer =
  | { outcome: 'rows'; rows: Rows; rowsScanned: number; executionMs: number }
  | { outcome: 'failed'; message: string; position?: number }
  | { outcome: 'refused'; issues: readonly Issue[] };

/**
 * Calls that somebody waits for: what each is asked and what it answers. Null: there is no such
 * schema, table or file.
 */
export interface LiveCalls {
  /** Whether every expression of a graph means something over the columns that arrive there. */
  bindGraph: { asks: { nodes: string; edges: string }; answers: { issues: Issue[] } };
  checkConnection: { asks: Stored | TypedConnection; answers: CheckAnswer };
  listSchemas: { asks: Stored & { page: PageWanted }; answers: NamePage<{ name: string }> };
  listTables: {
    asks: Stored & { schema?: string; page: PageWanted };
    answers: ({ schema: string | null } & NamePage<TableInfo>) | null;
  };
  listColumns: {
    asks: Stored & { schema?: string; table: string };
    answers: { schema: string | null; columns: readonly TableColumn[] } | null;
  };
  listCatalogs: {
    asks: Stored & { page: PageWanted };
    answers: NamePage<{ name: string; schemas: readonly string[] }>;
  };
  preview: {
    /** `kind`: what a source's node calls the object. */
    asks: Stored & {
      schema?: string;
      object: string;
      kind: 'table' | 'path' | 'topic';
      rows: number;
    };
    answers: Rows | null;
  };
  listFiles: {
    asks: Stored & { prefix: string; delimiter?: string; limit: number; after?: string };
    answers: FilePage;
  };
  fileSchema: { asks: Stored & { path: string; format?: FileFormat }; answers: FileColumns | null };
  runQuery: {
    asks: Stored & { dialect: Dialect; sql: string; rows: number };
    answers: RunQueryAnswer;
  };
}

export type LiveCallName = keyof LiveCalls;

/** What a worker leaves in reply: the answer, or why there is none. */
export type LiveReply<Call extends LiveCallName> =
  { ok: true; answer: LiveCalls[Call]['answers'] } | { ok: false; failure: Failure };
