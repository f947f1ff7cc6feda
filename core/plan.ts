import type { Graph, GraphNode } from './graph/index.js';

/** One end of a stage: a node and its configuration. */
export interface StageEnd {
  nodeId: string;
  type: string;
  config: unknown;
}

/** A chain of nodes from one input to one output, run split by split. */
export interface Stage {
  /** The id of the node it ends in. */
  id: string;
  /** The nodes along the chain, in the order in which rows pass them. */
  nodes: string[];
  /** How rows travel. */
  path: 'bulk csv';
  source: StageEnd;
  destination: StageEnd;
}

export interface RunPlan {
  stages: Stage[];
}

const endOf = ({ id, type, config }: GraphNode): StageEnd => ({
  nodeId: id,
  type,
  config: config ?? {},
});

/**
 * The stages of a valid graph: one for each destination, back to the source that feeds it. A source
 * that feeds several is read once for each; the sources there are so far give the same rows each time.
 */
export const planGraph = ({ nodes, edges }: Graph): RunPlan => {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const stages = nodes
    .filter(({ type }) => type.startsWith('destination.'))
    .map((destination): Stage => {
      const chain = [destination];
      for (let head = destination; ;) {
        const edge = edges.find(({ target }) => target === head.id);
        const before = edge && byId.get(edge.source);
        if (!before) break;
        chain.unshift(before);
        head = before;
      }
      return {
        id: destination.id,
        nodes: chain.map(({ id }) => id),
        path: 'bulk csv',
        source: endOf(chain[0] ?? destination),
        destination: endOf(destination),
      };
    });
  return { stages };
};

const targetBytes = 64 * 1024 * 1024;

export interface Rows {
  from: number;
  to: number;
}

/** Ranges [from, to) of about 64 MiB. No rows are one empty range: its table is still made. */
export const splitRows = (rows: number, bytesPerRow: number): Rows[] => {
  const size = Math.max(1, Math.floor(targetBytes / Math.max(1, bytesPerRow)));
  const count = Math.max(1, Math.ceil(rows / size));
  return Array.from({ length: count }, (_, index) => ({
    from: index * size,
    to: Math.min(rows, (index + 1) * size),
  }));
};
