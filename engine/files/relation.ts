import type {
  BadRow,
  CallContext,
  Column,
  Source,
  SourceRequest,
  SplitRange,
} from '../../connectors/connector.js';
import type { DuckResult } from '../duckdb/program.js';

/**
 * How a relation holds its values. `text`: as their source writes them, whatever the type of the
 * column is. `typed`: in what DuckDB holds the type of the column in.
 */
export type Held = 'text' | 'typed';

/** The rows of a split as DuckDB reads them. */
export interface Relation {
  /** A SELECT of `columns` in their order. */
  sql: string;
  /** Files outside of the directory that it reads: for the program's `reads`. */
  reads: readonly string[];
  columns: readonly Column[];
  held: Held;
  /** Of the files, or parts of them, that it is made of. */
  bytes: number;
  /** How many rows there are, where that was counted on the way. */
  rows?: number;
  /** Rows that were kept aside before DuckDB sees any. */
  kept: readonly BadRow[];
  /** To be run with it, where `sql` itself leaves rows out: says which. */
  rejectedSql?: string;
  /** What the answer to `rejectedSql` means. */
  rejectedRows: (answer: DuckResult) => readonly BadRow[];
}

/** Rows that DuckDB reads where they are before anybody has looked at them. */
export interface Unproven extends Pick<Relation, 'sql' | 'reads' | 'columns' | 'bytes'> {
  /** How many splits there are that do the same. */
  splits: number;
  /**
   * To be asked while DuckDB reads: how many rows there are; undefined where it might have read
   * something else than what `relation` gives.
   */
  count(ctx: CallContext): Promise<number | undefined>;
  /** To be asked once DuckDB has read. */
  refuseChanged(ctx: CallContext): Promise<void>;
}

/** A source whose rows DuckDB can read by itself. */
export interface RelationSource<Config = unknown> extends Source<Config> {
  /** How all relations of the request hold their values. */
  held(request: SourceRequest<Config>, ctx: CallContext): Promise<Held>;
  /** Undefined, or not there at all, where that is not to be tried. */
  unproven?(
    request: SourceRequest<Config>,
    range: SplitRange,
    ctx: CallContext,
  ): Promise<Unproven | undefined>;
  /**
   * `directory` is the program's: files that DuckDB cannot read in place are put into it. `planned`:
   * what `facts` said the columns are, for sources that cannot say it twice.
   */
  relation(
    request: SourceRequest<Config>,
    range: SplitRange,
    directory: string,
    ctx: CallContext,
    planned: readonly Column[],
  ): Promise<Relation>;
}
