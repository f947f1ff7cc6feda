import { readInPlace } from './inPlace.js';
import type { Part } from './parts.js';

/** Where rows that come to a part are, before the transforms that go with it. */
type Origin = 'source' | 'dataset' | 'query';

type Parts = ReadonlyMap<string, Part>;

const originOf = (part: Part, parts: Parts): Origin => {
  if (part.kind === 'source') return 'source';
  if (part.kind === 'whole') return 'query';
  const [input] = part.inputs;
  const before = input && parts.get(input.from);
  if (!before || before.consumers.length > 1) return 'dataset';
  return originOf(before, parts);
};

/**
 * Whether a part and the one its rows go to belong to one stage. They do not where the rows go to
 * several (a dataset is worked out once and read often), where a source meets a query (it is read
 * split by split, row-wise steps included, before the query sees all of it; files that the query can
 * read in place are not), and where a query meets a destination (what it answers is loaded split by
 * split).
 */
export const goesOnInStage = (part: Part, parts: Parts): boolean => {
  const [consumer] = part.consumers;
  const next = consumer === undefined ? undefined : parts.get(consumer);
  if (!next || part.consumers.length > 1) return false;
  if (next.kind === 'row') return true;
  if (next.kind === 'whole' && part.kind === 'source') return readInPlace(part.end);
  return originOf(part, parts) !== (next.kind === 'whole' ? 'source' : 'query');
};
