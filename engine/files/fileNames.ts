/**
 * Where the files of `destination.files` lie. Until they are published they are hidden: below
 * `<path>/.fluxline/<root job>/<stage>/<split>-g<generation>-a<attempt>/`.
 */
import { createHash } from 'node:crypto';
import type { Delivery } from '../../connectors/connector.js';

export interface Attempt {
  split: number;
  attempt: number;
}

const trimmed = (path: string): string => path.replace(/\/+$/, '');

/** Ids of nodes are the users' words: no part of a path as they are. */
const stageWord = (stage: string): string =>
  createHash('sha256').update(stage).digest('hex').slice(0, 12);

export const hiddenPrefix = (path: string, { rootJobId, stage }: Delivery): string =>
  `${trimmed(path)}/.fluxline/${rootJobId}/${stageWord(stage)}/`;

export const attemptPrefix = (path: string, delivery: Delivery, one: Attempt): string =>
  `${hiddenPrefix(path, delivery)}${one.split}-g${delivery.generation}-a${one.attempt}/`;

/** Written last: with it an attempt's files are complete. */
export const manifestKey = (path: string, delivery: Delivery, one: Attempt): string =>
  `${attemptPrefix(path, delivery, one)}complete.json`;

/** What is published, or about to be. */
export const journalKey = (path: string, delivery: Delivery): string =>
  `${hiddenPrefix(path, delivery)}published.json`;

export const attemptOf = (
  path: string,
  delivery: Delivery,
  key: string,
): (Attempt & { generation: number }) | undefined => {
  const rest = key.slice(hiddenPrefix(path, delivery).length);
  const [, split, generation, attempt] = /^(\d+)-g(\d+)-a(\d+)\//.exec(rest) ?? [];
  if (split === undefined) return undefined;
  return { split: Number(split), generation: Number(generation), attempt: Number(attempt) };
};

/**
 * The visible name of a split's file. `relative` is its place below the split's directory, of which
 * partition directories are kept. Nodes of one run may write to one path: the stage is in it.
 */
export const visibleKey = (
  path: string,
  { rootJobId, stage }: Delivery,
  split: number,
  relative: string,
  number: number,
): string => {
  const slash = relative.lastIndexOf('/') + 1;
  const name = relative.slice(slash);
  const extension = name.slice(name.indexOf('.'));
  const serial = number === 0 ? '' : `-${number}`;
  const part = `part-${String(split).padStart(5, '0')}-${rootJobId}`;
  const full = `${part}-${stageWord(stage).slice(0, 6)}${serial}${extension}`;
  return `${trimmed(path)}/${relative.slice(0, slash)}${full}`;
};
