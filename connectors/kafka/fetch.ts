import { fetchV12 } from '@platformatic/kafka';
import type { Batch } from './batches.js';
import { batchesIn } from './batches.js';
import type { Call } from './calls.js';

export interface Fetched {
  errorCode: number;
  /** Nothing below it is undecided any more. */
  stableTo: number;
  batches: readonly Batch[];
  /** Transactions that were given up, with where each of them began. */
  aborted: readonly { producerId: bigint; from: number }[];
  /** The broker holds us off: that nothing came says nothing. */
  isThrottled: boolean;
}

export interface FetchWanted {
  topic: string;
  partition: number;
  offset: number;
  /** About; a larger batch comes whole. */
  bytes: number;
}

const readCommitted = 1;
/** How long a broker waits for something to come. */
const waitMs = 500;
const nothing = { errorCode: 0, stableTo: -1, batches: [], aborted: [], isThrottled: true };

/** What stands in a partition from an offset on, as whole batches. */
export const fetchCall = ({ topic, partition, offset, bytes }: FetchWanted): Call<Fetched> => ({
  api: fetchV12.api.key,
  version: fetchV12.api.version,
  tags: { request: true, answer: true },
  request: fetchV12.createRequest(
    waitMs,
    1,
    bytes,
    readCommitted,
    0,
    -1,
    [
      {
        topicId: topic,
        partitions: [
          {
            partition,
            currentLeaderEpoch: -1,
            fetchOffset: BigInt(offset),
            lastFetchedEpoch: -1,
            partitionMaxBytes: bytes,
          },
        ],
      },
    ],
    [],
    '',
  ),
  // The library's own reader makes objects of all messages at once, and skips no transaction.
  read: (reader, whole) => {
    const throttleMs = reader.readInt32();
    const failed = reader.readInt16();
    reader.skip(4);
    if (failed !== 0) return { ...nothing, errorCode: failed, isThrottled: false };
    // One topic and one partition of it; lengths are one more than they say.
    if (reader.readUnsignedVarInt() < 2) return nothing;
    reader.readString();
    if (reader.readUnsignedVarInt() < 2) return nothing;
    reader.skip(4);
    const errorCode = reader.readInt16();
    reader.skip(8);
    const stableTo = Number(reader.readInt64());
    reader.skip(8);
    const aborted = reader.readNullableArray((each) => ({
      producerId: each.readInt64(),
      from: Number(each.readInt64()),
    }));
    reader.skip(4);
    const length = reader.readUnsignedVarInt() - 1;
    const records = whole.subarray(reader.position, reader.position + Math.max(0, length));
    return {
      errorCode,
      stableTo,
      batches: batchesIn(records),
      aborted: aborted ?? [],
      isThrottled: throttleMs > 0,
    };
  },
});
