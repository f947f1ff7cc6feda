import type pg from 'pg';
import { DatabaseError } from 'pg';
import { RunFailure } from '../../core/failures.js';
import { quoteText } from './quote.js';

export const snapshotLost = (cause?: unknown): RunFailure =>
  new RunFailure(
    {
      code: 'snapshot_lost',
      class: 'transient',
      message:
        'The state that the source was being read in is gone: the table was rewritten, or the session that held it ended. The stage has to start over.',
    },
    { cause },
  );

/** A transaction that can only read, and sees one state. */
export const beginReading = 'begin isolation level repeatable read read only';

/** For statements about a source, as opposed to those that read it. */
export const beginLooking = (seconds: number): string =>
  `${beginReading}; set local statement_timeout = '${seconds}s'`;

/** First in its transaction. Whatever the server has against it, the snapshot cannot be had. */
export const joinSnapshot = async (client: pg.Client, snapshot: string): Promise<void> => {
  try {
    await client.query(`set transaction snapshot ${quoteText(snapshot)}`);
  } catch (error) {
    if (error instanceof DatabaseError) throw snapshotLost(error);
    throw error;
  }
};
