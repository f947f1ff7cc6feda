import type { SourceTopicConfig } from '../../core/nodes/sourceTopic.js';
import type { CallContext, OpenDeps, SplitRange } from '../connector.js';
import type { DocumentSource } from '../documents.js';
import { boundedParts } from './bounds.js';
import type { Part } from './bounds.js';
import { makeChunks } from './chunks.js';
import { openCluster, withCluster } from './cluster.js';
import type { Cluster, Topic } from './cluster.js';
import { cutParts } from './cut.js';
import { fixedColumns, makeLineOf } from './lines.js';
import type { KafkaConfig } from './manifest.js';
import { messagesIn } from './partition.js';
import type { PartitionDeps, Reading } from './partition.js';

const fetchBytes = 4 * 1024 * 1024;
const sampleBytes = 256 * 1024;
/** A message has this beside key and value: its columns and punctuation. */
const bytesAround = 100;

/** About how many bytes an offset stands for, looked up where the longest part begins. */
const bytesPerOffset = async (
  deps: PartitionDeps,
  topic: Topic,
  parts: readonly Part[],
  ctx: CallContext,
): Promise<number> => {
  const [longest] = [...parts].sort((left, right) => right.to - right.from - (left.to - left.from));
  if (!longest) return bytesAround;
  for await (const messages of messagesIn(
    deps,
    { topic, part: longest, fetchBytes: sampleBytes },
    ctx,
  )) {
    const bytes = messages.reduce(
      (sum, { key, value }) => sum + (key?.length ?? 0) + (value?.length ?? 0) + bytesAround,
      0,
    );
    const offsets = (messages.at(-1)?.offset ?? longest.from) + 1 - longest.from;
    return bytes / offsets;
  }
  return bytesAround;
};

const partsOf = (range: SplitRange): readonly Part[] => range['parts'] as readonly Part[];

/** The first messages of each part in turn, so that all of them have a say. */
async function* firstOf(
  deps: PartitionDeps,
  readings: readonly Reading[],
  wanted: number,
  ctx: CallContext,
): AsyncGenerator<Buffer> {
  let open = readings.map(({ part, ...rest }) => ({
    lineOf: makeLineOf(part.partition),
    batches: messagesIn(deps, { part, ...rest }, ctx),
  }));
  let left = wanted;
  while (open.length > 0 && left > 0) {
    const share = Math.ceil(left / open.length);
    const going: typeof open = [];
    for (const one of open) {
      if (left <= 0) break;
      const next = await one.batches.next();
      if (next.done === true) continue;
      going.push(one);
      const { add, take } = makeChunks();
      const some = next.value.slice(0, share);
      left -= some.length;
      for (const message of some) yield* add(one.lineOf(message));
      yield* take();
    }
    open = going;
  }
}

export const makeTopicSource = (
  config: KafkaConfig,
  deps: OpenDeps,
): DocumentSource<SourceTopicConfig> => {
  const { role, maxRowBytes } = deps;
  const partitionDeps = (cluster: Cluster): PartitionDeps => ({ cluster, role, maxRowBytes });

  return {
    fixed: fixedColumns,

    splits: (request, { targetBytes }, ctx) =>
      withCluster(config, deps, ctx, async (cluster) => {
        const topic = await cluster.topic(request.config.topic);
        const parts = await boundedParts(cluster, topic, request.config, role);
        const perOffset = await bytesPerOffset(partitionDeps(cluster), topic, parts, ctx);
        return {
          ranges: cutParts(parts, targetBytes / perOffset).map((each) => ({ parts: each })),
        };
      }),

    sample: async function* (request, records, ctx) {
      const cluster = await openCluster(config, deps, ctx);
      try {
        const topic = await cluster.topic(request.config.topic);
        const parts = await boundedParts(cluster, topic, request.config, role);
        const readings = parts.map((part) => ({ topic, part, fetchBytes: sampleBytes }));
        yield* firstOf(partitionDeps(cluster), readings, records, ctx);
      } finally {
        cluster.close();
      }
    },

    read: async function* (request, range, ctx) {
      const cluster = await openCluster(config, deps, ctx);
      try {
        const topic = await cluster.topic(request.config.topic);
        const { add, take } = makeChunks();
        for (const part of partsOf(range)) {
          const lineOf = makeLineOf(part.partition);
          const reading = { topic, part, fetchBytes };
          for await (const messages of messagesIn(partitionDeps(cluster), reading, ctx)) {
            for (const message of messages) yield* add(lineOf(message));
          }
        }
        yield* take();
      } finally {
        cluster.close();
      }
    },
  };
};
