import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { RunFailure } from '../../core/failures.js';
import type { BulkRead, CallContext, Counts, Marker, WriteResult } from '../connector.js';
import { claimMarker, readMarkers, setMarkerCounts } from './markers.js';
import { quoteName, quoteTable } from './quote.js';
import type { TableName } from './quote.js';

/**
 * Loads one split in the transaction it is called in: marker, COPY, counts. What the server says
 * it took must be what the source says it sent, else nothing of it is committed.
 */
export const copySplit = async (
  client: pg.Client,
  name: TableName,
  marker: Marker,
  read: BulkRead,
  progress: (counts: Counts) => void,
  { signal }: CallContext,
): Promise<WriteResult> => {
  if (!(await claimMarker(client, marker))) {
    const committed = await readMarkers(client, marker.rootJobId, marker.stage);
    const counts = committed.get(marker.split) ?? { rows: 0, bytes: 0 };
    return { counts, already: true };
  }
  const columns = read.columns.map((column) => quoteName(column.name)).join(', ');
  const copy = client.query(
    copyFrom(`copy ${quoteTable(name)} (${columns}) from stdin (format csv)`),
  );
  let bytes = 0;
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      progress({ rows: read.counts().rows, bytes });
      done(null, chunk);
    },
  });
  await pipeline(Readable.from(read.chunks, { objectMode: true }), count, copy, { signal });
  const counts: Counts = { rows: copy.rowCount, bytes };
  refuseDifference(read.counts().rows, counts.rows);
  await setMarkerCounts(client, marker, counts);
  return { counts, already: false };
};

const refuseDifference = (sent: number, taken: number): void => {
  if (sent === taken) return;
  throw new RunFailure({
    code: 'count_mismatch',
    class: 'internal',
    message: `The source sent ${sent} rows and the table took ${taken}: the split was rolled back.`,
  });
};
