import { availableParallelism } from 'node:os';
import type { CallContext } from '../connectors/connector.js';
import { blaming } from './blame.js';
import { refuseOthers, selectOf } from './duckInputs.js';
import type { DuckInput } from './duckInputs.js';
import { isRelationSource, rangeOf, requestOf } from './ends.js';
import type { Unproven } from './files/relation.js';
import type { DuckPath } from './plan.js';
import type { SplitWork } from './runSplit.js';

/** What a split reads before anybody has looked at it. */
export interface UnprovenInput extends DuckInput {
  unproven: Unproven;
}

/** Undefined where the split is not to be read like that. */
export const openUnproven = async (
  { stage, ends, input }: SplitWork,
  path: DuckPath,
  ctx: CallContext,
): Promise<UnprovenInput | undefined> => {
  const [from] = ends.sources;
  const [named] = Object.entries(stage.way.inputs);
  if (stage.kind !== 'flow' || !from || !named || !isRelationSource(from.source)) return undefined;
  // Rows that break a rule are known by their places, which several threads would not keep.
  if (path.rejects.length > 0) return undefined;
  const { source, nodeId } = from;
  const [id, columns] = named;
  return blaming(nodeId, async () => {
    const range = rangeOf(input.ranges, from);
    const unproven = await source.unproven?.(requestOf(from, stage.way), range, ctx);
    if (!unproven) return undefined;
    const place = { nodeId, fromSource: true, columns, view: path.views[id] ?? '' };
    refuseOthers(place, unproven.columns);
    const { reads, bytes, splits } = unproven;
    return {
      ...place,
      select: selectOf(unproven),
      reads,
      bytes,
      // They are counted beside it.
      rows: 0,
      kept: [],
      pace: {
        threads: Math.max(1, Math.floor(availableParallelism() / splits)),
        // Steps behind a dataset may ask which row came first.
        unordered: stage.output.kind === 'destination',
      },
      unproven,
    };
  });
};

class Doubt extends Error {}

/**
 * Has something made of the rows while they are looked at. What comes of it counts only where there
 * is no doubt; with the first one it is given up, for the split to be read as others are.
 */
export const makeOfUnproven = async <Made>(
  { unproven }: UnprovenInput,
  make: (ctx: CallContext) => Promise<Made>,
  ctx: CallContext,
): Promise<{ made: Made; rows: number } | undefined> => {
  const giveUp = new AbortController();
  const until = { ...ctx, signal: AbortSignal.any([ctx.signal, giveUp.signal]) };
  const count = async (): Promise<number> => {
    const rows = await unproven.count(until);
    if (rows === undefined) throw new Doubt('Rows could be read in more than one way.');
    return rows;
  };
  const work = [make(until), count()] as const;
  try {
    const [made, rows] = await Promise.all(work);
    await unproven.refuseChanged(ctx);
    return { made, rows };
  } catch (error) {
    giveUp.abort(error);
    await Promise.allSettled(work);
    // Whatever it was: who reads row by row finds it, too, and knows which row it is.
    ctx.signal.throwIfAborted();
    ctx.log.info('The file is read again, row by row: not all of it is as it should be.');
    return undefined;
  }
};
