import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { RunFailure } from '../../core/failures.js';
import type { BulkFormat, BulkRead, Counts } from '../connector.js';
import { nameList } from './table.js';

const options: Readonly<Record<BulkFormat, string>> = {
  csv: 'format csv',
  'postgres-binary': 'format binary',
};

/** Sends bytes as they come; what comes back is how many rows the server made of them. */
export const copyIn = async (
  client: pg.Client,
  into: string,
  columns: readonly string[],
  format: BulkFormat,
  chunks: AsyncIterable<Buffer>,
  signal: AbortSignal,
): Promise<number> => {
  const copy = client.query(
    copyFrom(`copy ${into} (${nameList(columns)}) from stdin (${options[format]})`),
  );
  await pipeline(chunks, copy, { signal });
  return copy.rowCount;
};

/** Loads a split; what the server says it took must be what the source says it sent. */
export const copySplit = async (
  client: pg.Client,
  into: string,
  read: BulkRead,
  progress: (counts: Counts) => void,
  signal: AbortSignal,
): Promise<Counts> => {
  let bytes = 0;
  async function* counted(): AsyncGenerator<Buffer> {
    for await (const chunk of read.chunks) {
      bytes += chunk.length;
      progress({ rows: read.counts().rows, bytes });
      yield chunk;
    }
  }
  const columns = read.columns.map(({ name }) => name);
  const rows = await copyIn(client, into, columns, read.format, counted(), signal);
  refuseDifference(read.counts().rows, rows);
  return { rows, bytes };
};

/** Nothing of a split may get lost between the source and the table. */
export const refuseDifference = (sent: number, taken: number): void => {
  if (sent === taken) return;
  throw new RunFailure({
    code: 'count_mismatch',
    class: 'internal',
    message: `${sent} rows were sent and the table took ${taken}: all of it was rolled back. A trigger or a rule of the table may drop rows.`,
  });
};
