/**
 * The requests that are made, each in a version that brokers since 2.7 have, those of Kafka 4
 * included. How they are written and read is the library's; the sockets are ours.
 */
import {
  apiVersionsV3,
  initProducerIdV4,
  listOffsetsV5,
  metadataV9,
  produceV9,
  ResponseError,
  saslAuthenticateV2,
  saslHandshakeV1,
  Writer,
} from '@platformatic/kafka';
import type { Reader } from '@platformatic/kafka';

export interface Call<Answer> {
  api: number;
  version: number;
  request: Writer;
  /** `whole` is what the reader reads. */
  read: (reader: Reader, whole: Buffer) => Answer;
  /** Headers of a request, and of its answer, may have tags. */
  tags: { request: boolean; answer: boolean };
}

interface Codec<Answer> {
  api: { key: number; version: number };
  parseResponse: (correlationId: number, api: number, version: number, reader: Reader) => Answer;
}

const tagged = { request: true, answer: true };
const untagged = { request: false, answer: false };

/** Errors in an answer are looked at where it is used: parts of it may be good. */
const read =
  <Answer>({ api, parseResponse }: Codec<Answer>) =>
  (reader: Reader): Answer => {
    try {
      return parseResponse(0, api.key, api.version, reader);
    } catch (error) {
      if (error instanceof ResponseError && 'response' in error) return error['response'] as Answer;
      throw error;
    }
  };

const call = <Answer>(
  codec: Codec<Answer>,
  request: Writer,
  tags: Call<Answer>['tags'] = tagged,
): Call<Answer> => ({
  api: codec.api.key,
  version: codec.api.version,
  request,
  read: read(codec),
  tags,
});

export const versionsCall = () =>
  call(apiVersionsV3, apiVersionsV3.createRequest('fluxline', '1'), {
    request: true,
    answer: false,
  });

export const handshakeCall = (mechanism: string) =>
  call(saslHandshakeV1, saslHandshakeV1.createRequest(mechanism), untagged);

export const authenticateCall = (bytes: Buffer) =>
  call(saslAuthenticateV2, saslAuthenticateV2.createRequest(bytes));

/** Null: all topics that the user may see. None of them is created by being asked for. */
export const metadataCall = (topics: string[] | null) =>
  call(metadataV9, metadataV9.createRequest(topics, false, true));

export interface OffsetWanted {
  partition: number;
  /** Milliseconds; -1: behind the last one that is committed, -2: the first there is. */
  timestamp: number;
}

const readCommitted = 1;

export const offsetsCall = (topic: string, wanted: readonly OffsetWanted[]) =>
  call(
    listOffsetsV5,
    listOffsetsV5.createRequest(-1, readCommitted, [
      {
        name: topic,
        partitions: wanted.map(({ partition, timestamp }) => ({
          partitionIndex: partition,
          currentLeaderEpoch: -1,
          timestamp: BigInt(timestamp),
        })),
      },
    ]),
    untagged,
  );

export const producerCall = () =>
  call(initProducerIdV4, initProducerIdV4.createRequest(null, 0, -1n, -1));

const everyReplica = -1;

export interface PartitionRecords {
  partition: number;
  records: Buffer;
}

export const produceCall = (
  topic: string,
  parts: readonly PartitionRecords[],
  timeoutMs: number,
) => {
  const request = Writer.create()
    .appendString(null)
    .appendInt16(everyReplica)
    .appendInt32(timeoutMs)
    .appendArray([topic], (outer, name) =>
      outer.appendString(name).appendArray([...parts], (inner, { partition, records }) =>
        inner
          .appendInt32(partition)
          .appendUnsignedVarInt(records.length + 1)
          .append(records),
      ),
    )
    .appendTaggedFields();
  return call(produceV9, request);
};
