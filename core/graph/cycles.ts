import type { Issue } from '../errors.js';
import { neighbours } from './graph.js';
import type { GraphEdge, GraphNode } from './graph.js';

type Steps = ReadonlyMap<string, readonly string[]>;

/** The shortest way from a node back to itself, the node first and last; undefined without one. */
const ringThrough = (start: string, steps: Steps): string[] | undefined => {
  const cameFrom = new Map<string, string>();
  const waiting = [start];
  for (const id of waiting) {
    for (const next of steps.get(id) ?? []) {
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, id);
      waiting.push(next);
    }
    if (cameFrom.has(start)) break;
  }
  let id = cameFrom.get(start);
  if (id === undefined) return undefined;
  const ring = [start];
  for (; id !== undefined && id !== start; id = cameFrom.get(id)) ring.unshift(id);
  return [start, ...ring];
};

const mostNamed = 12;

const named = (ring: readonly string[]): string =>
  ring.length <= mostNamed
    ? ring.join(' → ')
    : [...ring.slice(0, mostNamed - 1), '…', ring.at(-1)].join(' → ');

/** Rows cannot flow in a ring; each is told once, at its first node. */
export const checkCycles = (nodes: readonly GraphNode[], edges: readonly GraphEdge[]): Issue[] => {
  const forwards = neighbours(edges, 'forwards');
  const told = new Set<string>();
  return nodes.flatMap(({ id }, index) => {
    if (told.has(id)) return [];
    const ring = ringThrough(id, forwards);
    if (!ring) return [];
    for (const member of ring) told.add(member);
    const message = `These nodes wait for each other: ${named(ring)}.`;
    return [{ pointer: `/nodes/${index}`, code: 'cycle', message }];
  });
};
