import { RunFailure } from '../core/failures.js';
import type { Consistency, SourceFacts } from '../connectors/connector.js';

export type WantedConsistency = 'auto' | 'snapshot' | 'per_row';

export interface ConsistencyQuestion {
  facts: SourceFacts;
  wanted: WantedConsistency;
  nodeId: string;
  /** A source that is smaller is read as one split, which needs neither. */
  splitBytes: number;
}

/** Above this a snapshot would hold back the source's cleaning up for hours. */
const mostSnapshotBytes = 20 * 1024 ** 3;

const words: Readonly<Record<Consistency, string>> = {
  snapshot: 'a snapshot of it can be shared between readers',
  per_row: 'it has a key by which its rows can be told apart',
  single: 'it can be read at once',
};

/**
 * How a source is read so that no row changes its split meanwhile. A snapshot is the fastest, and a
 * stage that loses it starts over; by key each row is read once, at some moment.
 */
export const chooseConsistency = ({
  facts: { bytes, consistencies },
  wanted,
  splitBytes,
  nodeId,
}: ConsistencyQuestion): Consistency => {
  const offers = (one: Consistency): boolean => consistencies.includes(one);
  if (wanted !== 'auto' && !offers(wanted)) {
    if (wanted === 'snapshot' && consistencies.join() === 'single') return 'single';
    throw new RunFailure({
      code: 'config_invalid',
      class: 'config',
      nodeId,
      message: `The source cannot be read with consistency ${wanted}: that needs that ${words[wanted]}.`,
    });
  }
  if (bytes !== undefined && bytes < splitBytes) return 'single';
  if (wanted !== 'auto') return wanted;
  if (offers('snapshot') && (bytes ?? 0) < mostSnapshotBytes) return 'snapshot';
  if (offers('per_row')) return 'per_row';
  return offers('snapshot') ? 'snapshot' : 'single';
};
