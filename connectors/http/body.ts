import { createHash } from 'node:crypto';
import { recordPlace, recordsPlace, takesOne } from '../../core/nodes/bodyTemplate.js';
import type { DestinationHttpConfig } from '../../core/nodes/destinationHttp.js';
import type { Marker } from '../connector.js';
import type { Batch } from './batches.js';

const defaultBatchSize = 100;

export const batchSizeOf = ({ batchSize, body }: DestinationHttpConfig): number =>
  batchSize ?? (takesOne(body) ? 1 : defaultBatchSize);

/** Puts records into the template as they are: nothing decodes them on the way. */
export const makeBodyOf = ({ body: template = recordsPlace }: DestinationHttpConfig) => {
  const one = takesOne(template);
  const place = JSON.stringify(one ? recordPlace : recordsPlace);
  const text = JSON.stringify(template);
  const at = text.indexOf(place);
  const before = Buffer.from(`${text.slice(0, at)}${one ? '' : '['}`);
  const after = Buffer.from(`${one ? '' : ']'}${text.slice(at + place.length)}`);
  const comma = Buffer.from(',');
  return ({ records }: Batch): Buffer => {
    const list = records.flatMap((record, index) => (index === 0 ? [record] : [comma, record]));
    return Buffer.concat([before, ...list, after]);
  };
};

/**
 * The same whenever the same records are sent as the same part of a delivery. Records that differ
 * are another request: a receiver that knows the key must not take them for those it has.
 */
export const idempotencyKey = (
  { rootJobId, stage, generation, split }: Marker,
  { from, records }: Batch,
  body: Buffer,
): string => {
  const content = createHash('sha256').update(body).digest('hex');
  return createHash('sha256')
    .update(JSON.stringify([rootJobId, stage, generation, split, from, records.length, content]))
    .digest('hex');
};
