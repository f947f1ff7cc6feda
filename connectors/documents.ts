/**
 * Systems that hold records without a fixed form: answers of a REST API, messages of a topic. They
 * hand over JSON lines (UTF-8, one object a line, LF after each) and take them; which columns there
 * are, and what type they have, is found out by the engine, which makes tables of them.
 */
import type {
  BadRow,
  CallContext,
  Column,
  Counts,
  Delivery,
  Marker,
  SourceRequest,
  SplitPlan,
  SplitRange,
  WriteResult,
} from './connector.js';

export interface DocumentSource<Config = unknown> {
  /** Columns that are there whatever the records are, with their types, such as a message's offset. */
  readonly fixed?: readonly Column[];
  /** Fixed while they are planned, so that a split reads the same again: offsets, not "until now". */
  splits(
    request: SourceRequest<Config>,
    options: { targetBytes: number },
    ctx: CallContext,
  ): Promise<SplitPlan>;
  /** The first records, about so many, for a look at what is in them. */
  sample(request: SourceRequest<Config>, records: number, ctx: CallContext): AsyncIterable<Buffer>;
  /** Whole lines, in chunks of any size. */
  read(request: SourceRequest<Config>, range: SplitRange, ctx: CallContext): AsyncIterable<Buffer>;
}

/** At least once: a split that was cut off is sent again, under the same keys. */
export interface DocumentDestination<Config = unknown> {
  /** Refuses what could not work. */
  prepare(
    config: Config,
    columns: readonly Column[],
    delivery: Delivery,
    ctx: CallContext,
  ): Promise<void>;
  /**
   * Sends the lines of a split, batch by batch. What the marker and a batch's place make is the same
   * whenever it is sent again: a receiver that knows it already can leave it out. Records that the
   * receiver refuses for good are `rejected`, by their place in the split; what cannot be sent fails.
   */
  write(
    config: Config,
    marker: Marker,
    lines: AsyncIterable<Buffer>,
    progress: (counts: Counts) => void,
    ctx: CallContext,
  ): Promise<WriteResult & { rejected: readonly BadRow[] }>;
}
