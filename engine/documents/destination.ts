/** `destination.http`, `destination.topic`: rows as records of JSON, sent at least once. */
import { RunFailure } from '../../core/failures.js';
import type { CallContext, Column, Delivery, Prepared } from '../../connectors/connector.js';
import type { UndoResult } from '../../connectors/connector.js';
import type { DocumentDestination } from '../../connectors/documents.js';

export interface DocumentsDestination<Config = unknown> extends Pick<
  DocumentDestination<Config>,
  'write'
> {
  prepare(
    config: Config,
    columns: readonly Column[],
    delivery: Delivery,
    ctx: CallContext,
  ): Promise<Prepared>;
  /** What was sent stays sent; the next generation sends all of it again. */
  startOver(config: Config, delivery: Delivery, ctx: CallContext): Promise<UndoResult>;
  /** Refused: nobody can take back what a system was told. */
  undo(config: Config, delivery: Delivery, ctx: CallContext): Promise<never>;
}

const cannotTakeBack = (): RunFailure =>
  new RunFailure({
    code: 'config_invalid',
    class: 'config',
    message:
      'Records that were sent to another system cannot be taken back from here: ' +
      'remove them there. A retry of the run sends only the splits that are not done.',
  });

export const makeDocumentDestination = (
  destination: DocumentDestination,
): DocumentsDestination => ({
  prepare: async (config, columns, delivery, ctx) => {
    await destination.prepare(config, columns, delivery, ctx);
    return { formats: [], publishes: false };
  },

  write: (...write) => destination.write(...write),

  startOver: async (_config, { stage }, ctx) => {
    ctx.log.warn(`${stage}: records that were sent already stay there and are sent again.`);
    return { splits: 0, rowsRemoved: 0, rowsMissing: 0 };
  },

  undo: async () => {
    throw cannotTakeBack();
  },
});
