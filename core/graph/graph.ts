/** Nodes and edges are open objects: these are the fields with a meaning, the rest is kept. */
export interface GraphNode {
  id: string;
  type: string;
  config?: unknown;
}

export interface GraphEdge {
  id: string;
  source: string;
  target: string;
  sourcePort?: string;
  targetPort?: string;
}

export interface Graph {
  nodes: readonly GraphNode[];
  edges: readonly GraphEdge[];
}

/** A graph as it came in, of unknown worth. */
export interface LooseGraph {
  nodes: readonly unknown[];
  edges: readonly unknown[];
}

export const parseGraph = (stored: { nodes: string; edges: string }): Graph => ({
  nodes: JSON.parse(stored.nodes) as GraphNode[],
  edges: JSON.parse(stored.edges) as GraphEdge[],
});

export const sourcePortOf = (edge: GraphEdge): string => edge.sourcePort ?? 'out';
export const targetPortOf = (edge: GraphEdge): string => edge.targetPort ?? 'in';

/** Everything that can be reached from the starts along the steps, starts included. */
export const reach = (
  starts: readonly string[],
  steps: ReadonlyMap<string, readonly string[]>,
): ReadonlySet<string> => {
  const seen = new Set(starts);
  const waiting = [...starts];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const step of steps.get(next) ?? []) {
      if (seen.has(step)) continue;
      seen.add(step);
      waiting.push(step);
    }
  }
  return seen;
};

/** Node → the nodes its edges lead to, or with `backwards` the ones they come from. */
export const neighbours = (
  edges: readonly GraphEdge[],
  direction: 'forwards' | 'backwards',
): ReadonlyMap<string, readonly string[]> => {
  const map = new Map<string, string[]>();
  for (const { source, target } of edges) {
    const [from, to] = direction === 'forwards' ? [source, target] : [target, source];
    const list = map.get(from);
    if (list) list.push(to);
    else map.set(from, [to]);
  }
  return map;
};
