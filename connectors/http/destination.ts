import type { DestinationHttpConfig } from '../../core/nodes/destinationHttp.js';
import type { BadRow } from '../connector.js';
import type { DocumentDestination } from '../documents.js';
import type { Addresses } from './address.js';
import { batchesOf, halvesOf } from './batches.js';
import type { Batch } from './batches.js';
import { batchSizeOf, idempotencyKey, makeBodyOf } from './body.js';
import type { ApiClient } from './client.js';

export interface HttpDestinationDeps {
  client: ApiClient;
  addresses: Addresses;
}

/** With these a receiver refuses what is in a request; others are about the request itself. */
const refusals: ReadonlySet<number> = new Set([400, 409, 413, 422]);

/** The attempt before it may still be under way there, which says nothing about the records. */
const stillAtIt = 409;

export const makeHttpDestination = ({
  client,
  addresses,
}: HttpDestinationDeps): DocumentDestination<DestinationHttpConfig> => ({
  prepare: async ({ path }) => {
    addresses.below(path);
  },

  write: async (config, marker, lines, progress, ctx) => {
    const { path, method = 'POST', maxErrors = 0 } = config;
    const url = addresses.below(path);
    const bodyOf = makeBodyOf(config);
    const counts = { rows: 0, bytes: 0 };
    const rejected: BadRow[] = [];
    const enough = (): boolean => rejected.length > maxErrors;

    /** Those that are refused together are tried in halves, until it is known which they are. */
    const send = async (batch: Batch): Promise<void> => {
      if (enough()) return;
      const body = bodyOf(batch);
      const headers = {
        'content-type': 'application/json',
        'idempotency-key': idempotencyKey(marker, batch, body),
      };
      const accepts = (status: number, attempt: number): boolean =>
        refusals.has(status) && !(status === stillAtIt && attempt > 1);
      const answer = await client.send(
        { method, url, headers, body },
        { signal: ctx.signal, accepts, passing: (status) => status === stillAtIt },
      );
      if (!refusals.has(answer.status)) {
        counts.rows += batch.records.length;
        counts.bytes += body.length;
        progress({ ...counts });
      } else if (batch.records.length > 1) {
        for (const half of halvesOf(batch)) await send(half);
      } else {
        const message = `The receiver refused the record with status ${answer.status}.`;
        rejected.push({ row: batch.from, code: 'constraint_violation', message });
      }
    };

    for await (const batch of batchesOf(lines, batchSizeOf(config))) {
      await send(batch);
      if (enough()) break;
    }
    return { counts, coalesced: 0, already: false, rejected };
  },
});
