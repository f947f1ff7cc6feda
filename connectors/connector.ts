/**
 * The narrow interface between the data plane and the systems it moves data between. A connector
 * implements the parts that its manifest declares; everything it needs arrives as an argument.
 * Rows cross it as bytes: a split is read into a stream of chunks in one of the bulk formats and
 * written from one, and nothing in between turns a row into an object.
 */
import type { Socket } from 'node:net';
import type { Column } from '../core/dataTypes.js';

export type { Column } from '../core/dataTypes.js';

/**
 * `csv`: UTF-8, comma, LF after every row, quotes doubled; NULL is an empty unquoted field and the
 * empty string is `""`. It is what both COPY and DuckDB read and write without loss.
 */
export type BulkFormat = 'csv';

export interface Counts {
  rows: number;
  bytes: number;
}

/** A part of a source that is read, written, retried and resumed as one. Rows [from, to). */
export interface RowRange {
  kind: 'rows';
  from: number;
  to: number;
}
export type SplitRange = RowRange;

/** The stream of one split. `counts` is true once `chunks` has ended. */
export interface BulkRead {
  format: BulkFormat;
  columns: readonly Column[];
  chunks: AsyncIterable<Buffer>;
  counts(): Counts;
}

/** Which split of which run a destination transaction stands for; unique in the destination. */
export interface Marker {
  /** The first job of a chain of retries: all of them are one delivery. */
  rootJobId: string;
  stage: string;
  split: number;
}

export interface WriteResult {
  counts: Counts;
  /** The split had been committed by an earlier attempt; nothing was written now. */
  already: boolean;
}

export interface UndoResult {
  splits: number;
  rowsRemoved: number;
  /** Rows that the run wrote and that someone changed or removed since. */
  rowsMissing: number;
}

/** What every call gets: when to stop, and where to say what happens. */
export interface CallContext {
  signal: AbortSignal;
  log: ConnectorLog;
}

export interface ConnectorLog {
  info(message: string): void;
  warn(message: string): void;
}

/** The guarded way out (net/): resolves and checks an address before a socket reaches it. */
export interface Net {
  connect(host: string, port: number, signal: AbortSignal): Promise<Socket>;
}

/** `config` is a node's configuration, validated against its type's schema. */
export interface Source<Config = unknown> {
  columns(config: Config, ctx: CallContext): Promise<readonly Column[]>;
  /** Splits of about so many bytes, in order; together the whole source, without overlap. */
  splits(config: Config, targetBytes: number, ctx: CallContext): Promise<readonly SplitRange[]>;
  readBulk(config: Config, range: SplitRange, ctx: CallContext): BulkRead;
}

export interface Destination<Config = unknown> {
  readonly formats: readonly BulkFormat[];
  /** Creates what the writes need (table, markers) and refuses what could not work. */
  prepare(config: Config, columns: readonly Column[], ctx: CallContext): Promise<void>;
  /** What is already committed of a delivery's stage, by split. */
  committed(
    rootJobId: string,
    stage: string,
    ctx: CallContext,
  ): Promise<ReadonlyMap<number, Counts>>;
  writeBulk(
    config: Config,
    marker: Marker,
    read: BulkRead,
    progress: (counts: Counts) => void,
    ctx: CallContext,
  ): Promise<WriteResult>;
  /** Takes back what a delivery's stage has committed. */
  undo(config: Config, rootJobId: string, stage: string, ctx: CallContext): Promise<UndoResult>;
}

/** An opened connector. Parts it does not have are absent; `close` may be called twice. */
export interface Connector {
  source?: Source;
  destination?: Destination;
  close(): Promise<void>;
}

export interface OpenDeps {
  net: Net;
}

/** A connection as a connector sees it: settings and secrets joined, checked against the schema. */
export type ConnectionConfig = Readonly<Record<string, unknown>>;

export interface ConnectorModule {
  open(config: ConnectionConfig, deps: OpenDeps): Connector;
}
