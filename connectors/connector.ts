/**
 * The narrow interface between the data plane and the systems it moves data between. A connector
 * implements the parts that its manifest declares; everything it needs arrives as an argument.
 * Rows cross it as bytes: a split is read into a stream of chunks in one of the bulk formats and
 * written from one, and nothing in between turns a row into an object.
 */
import type { Socket } from 'node:net';
import type { Checked } from '../core/browse.js';
import type { Column } from '../core/dataTypes.js';
import type { Browser } from './browser.js';
import type { DocumentDestination, DocumentSource } from './documents.js';
import type { DuckDatabases } from './duckdbPort.js';
import type { Role } from './manifest.js';
import type { Store } from './store.js';

export type { Column } from '../core/dataTypes.js';

/**
 * `csv`: UTF-8, comma, LF after every row, quotes doubled; NULL is an empty unquoted field and the
 * empty string is `""`. It is what both COPY and DuckDB read and write without loss.
 * `postgres-binary`: PostgreSQL's own COPY format, between tables whose columns are of one type.
 */
export type BulkFormat = 'csv' | 'postgres-binary';

export interface Counts {
  rows: number;
  bytes: number;
}

/**
 * A part of a source that is read, written, retried and resumed as one. What is in it is its
 * connector's own business; it is kept as JSON and comes back as it was.
 */
export type SplitRange = Readonly<Record<string, unknown>>;

/** A row that could not go on, and why. */
export interface BadRow {
  /** Its place in the split, from 0, in the order in which rows are read. */
  row: number;
  /** `row_too_large`, `malformed`, `constraint_violation`, `value_out_of_range`… */
  code: string;
  /** For the user; no values of other rows in it. */
  message: string;
  column?: string;
}

/** The stream of one split. `counts` and `rejected` are true once `chunks` has ended. */
export interface BulkRead {
  format: BulkFormat;
  columns: readonly Column[];
  chunks: AsyncIterable<Buffer>;
  /** Rows that are in `chunks`, and their bytes. */
  counts(): Counts;
  /** Rows that were read and are not in `chunks`. */
  rejected(): readonly BadRow[];
}

/** One stage's work on one destination. All runs of a chain of retries are one delivery. */
export interface Delivery {
  /** The first job of the chain. */
  rootJobId: string;
  stage: string;
  /** Counts up whenever the stage starts over; what an older generation still tries is refused. */
  generation: number;
}

/** Which split of a delivery a destination transaction stands for; unique in the destination. */
export interface Marker extends Delivery {
  split: number;
}

export interface WriteResult {
  /** Rows that the destination took (deleted, for a delete). */
  counts: Counts;
  /** Rows that another row of the same key made superfluous, or that a delete did not find. */
  coalesced: number;
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
  connect(host: string, port: number, signal: AbortSignal, role: Role): Promise<Socket>;
}

/** Expressions in the source's own SQL that its system evaluates for us. */
export interface Pushed {
  /** What comes out, in order; names are not quoted, expressions are complete. */
  columns: readonly { name: string; expression: string }[];
  /** Conditions that all hold. */
  where: readonly string[];
}

/** Only rows whose cursor lies in it. Values are text in the source's notation. */
export interface Bounds {
  column: string;
  /** Exclusive. */
  above?: string;
  /** Inclusive; null: there was nothing, and what comes now is for the next time. */
  upTo?: string | null;
}

/** What is asked of a source: its node's configuration, validated against its type's schema, and more. */
export interface SourceRequest<Config = unknown> {
  config: Config;
  bounds?: Bounds;
  pushed?: Pushed;
}

/**
 * snapshot: all splits see one state, held open by `holdSnapshot`. per_row: each row is read once,
 * at some moment. single: one split, which needs neither.
 */
export type Consistency = 'snapshot' | 'per_row' | 'single';

export interface SourceFacts {
  columns: readonly Column[];
  /** Estimates; undefined where nobody knows. */
  rows?: number;
  bytes?: number;
  /** The SQL that `pushed` may be written in. Absent: nothing can be pushed. */
  dialect?: 'postgres';
  /** What the source can offer for this request; `single` always goes. */
  consistencies: readonly Consistency[];
}

export interface SplitPlan {
  /** In order; together the whole source, without overlap. */
  ranges: readonly SplitRange[];
}

export interface SplitOptions {
  /** About how large a split is to be. */
  targetBytes: number;
  consistency: Consistency;
  /** Where the consistency is `snapshot`: the one that is held. */
  snapshot?: string;
  /** What can be read faster as one piece is not to be cut. */
  uncut?: boolean;
}

export interface ReadOptions {
  format: BulkFormat;
  snapshot?: string;
}

export interface HeldSnapshot {
  id: string;
  /** Rejects when the snapshot is lost; never resolves. */
  lost: Promise<never>;
  release(): Promise<void>;
}

export interface Source<Config = unknown> {
  readonly formats: readonly BulkFormat[];
  facts(request: SourceRequest<Config>, ctx: CallContext): Promise<SourceFacts>;
  splits(
    request: SourceRequest<Config>,
    options: SplitOptions,
    ctx: CallContext,
  ): Promise<SplitPlan>;
  readBulk(
    request: SourceRequest<Config>,
    range: SplitRange,
    options: ReadOptions,
    ctx: CallContext,
  ): BulkRead;
  /** The highest value the cursor has now, as text; null where there are no rows. */
  highest?(
    request: SourceRequest<Config>,
    column: string,
    ctx: CallContext,
  ): Promise<string | null>;
  /** A state of the whole system that other sessions can read, for as long as this is held. */
  holdSnapshot?(ctx: CallContext): Promise<HeldSnapshot>;
}

/** Rows of a split kept aside in csv, so that parts of them can be tried. */
export interface SpooledRows {
  count: number;
  columns: readonly Column[];
  /** Rows [from, to) as csv. */
  read(from: number, to: number): AsyncIterable<Buffer>;
}

export interface Prepared {
  /** In which of its formats these columns can be loaded, the fastest first. */
  formats: readonly BulkFormat[];
  /** `publish` has to be called once all splits are there. */
  publishes: boolean;
}

export interface Destination<Config = unknown> {
  readonly formats: readonly BulkFormat[];
  /** Creates what the writes need (table, markers, shadow) and refuses what could not work. */
  prepare(
    config: Config,
    columns: readonly Column[],
    delivery: Delivery,
    ctx: CallContext,
  ): Promise<Prepared>;
  /** What is already committed of a delivery in its generation, by split. */
  committed(delivery: Delivery, ctx: CallContext): Promise<ReadonlyMap<number, WriteResult>>;
  writeBulk(
    config: Config,
    marker: Marker,
    read: BulkRead,
    progress: (counts: Counts) => void,
    ctx: CallContext,
  ): Promise<WriteResult>;
  /**
   * Which rows the destination would refuse, tried without leaving anything behind. Stops after
   * `most`. Absent: a refused row fails its split.
   */
  findBadRows?(
    config: Config,
    marker: Marker,
    rows: SpooledRows,
    most: number,
    ctx: CallContext,
  ): Promise<readonly BadRow[]>;
  /** Makes the whole delivery visible at once; a repeated call finds it done. */
  publish?(config: Config, delivery: Delivery, ctx: CallContext): Promise<void>;
  /**
   * Makes way for `delivery.generation`: takes back what older ones left where repeating it would
   * do harm, and refuses what they may still try. `prepare` follows.
   */
  startOver(config: Config, delivery: Delivery, ctx: CallContext): Promise<UndoResult>;
  /** Takes back what a delivery has committed, in whatever generation. */
  undo(config: Config, delivery: Delivery, ctx: CallContext): Promise<UndoResult>;
}

/** An opened connector. Parts it does not have are absent; `close` may be called twice. */
export interface Connector {
  source?: Source;
  destination?: Destination;
  /** Files; sources and destinations over them are the engine's. */
  store?: Store;
  /** Records as JSON; tables of them are the engine's to make. */
  documents?: { source?: DocumentSource; destination?: DocumentDestination };
  /** Whether it can be reached and used as it is configured; fails with why not. */
  check?(ctx: CallContext): Promise<Checked>;
  browser?: Browser;
  close(): Promise<void>;
}

export interface OpenDeps {
  net: Net;
  /** Which end of a run the connection is: failures say whose side they are on. */
  role: Role;
  /** Larger rows are rejected by their length, before anybody holds them. */
  maxRowBytes: number;
  localDirectories: LocalDirectories;
  /** Where there is a DuckDB. */
  duckdb?: DuckDatabases;
}

/** Which directories of this host connections may use: real, absolute paths. */
export interface LocalDirectories {
  /** These, and what is below them. */
  allowed: readonly string[];
  /** Not these: neither what is below them nor what they are part of. */
  refused: readonly string[];
}

/** A connection as a connector sees it: settings and secrets joined, checked against the schema. */
export type ConnectionConfig = Readonly<Record<string, unknown>>;

export interface ConnectorModule {
  open(config: ConnectionConfig, deps: OpenDeps): Connector;
}
