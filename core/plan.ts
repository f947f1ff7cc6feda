import { RunFailure } from './failures.js';
import { validateGraph } from './graph/index.js';
import type { Graph, GraphEdge, GraphNode } from './graph/index.js';

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
  path: 'bulk-csv';
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

/** What was valid when it was saved need not be so for the version that runs it. */
const refuseInvalid = (graph: Graph): void => {
  const [issue] = validateGraph(graph, 'active').errors;
  if (!issue) return;
  const index = /^\/nodes\/(\d+)/.exec(issue.pointer)?.[1];
  const nodeId = index === undefined ? undefined : graph.nodes[Number(index)]?.id;
  throw new RunFailure({
    code: 'config_invalid',
    class: 'config',
    message: `The pipeline cannot run as it is (${issue.pointer}): ${issue.message}`,
    ...(nodeId === undefined ? {} : { nodeId }),
  });
};

/** From a destination back to its source. Ends, since a valid graph has no cycles. */
const chainTo = (
  destination: GraphNode,
  nodes: ReadonlyMap<string, GraphNode>,
  arriving: ReadonlyMap<string, GraphEdge>,
): [GraphNode, ...GraphNode[]] => {
  const chain: [GraphNode, ...GraphNode[]] = [destination];
  for (;;) {
    const edge = arriving.get(chain[0].id);
    const before = edge && nodes.get(edge.source);
    if (!before) return chain;
    chain.unshift(before);
  }
};

/**
 * The stages of a graph: one for each destination, back to the source that feeds it. A source that
 * feeds several is read once for each; the sources there are so far give the same rows each time.
 */
export const planGraph = (graph: Graph): RunPlan => {
  refuseInvalid(graph);
  const nodes = new Map(graph.nodes.map((node) => [node.id, node]));
  const arriving = new Map(graph.edges.map((edge) => [edge.target, edge]));
  const stages = graph.nodes
    .filter(({ type }) => type.startsWith('destination.'))
    .map((destination): Stage => {
      const chain = chainTo(destination, nodes, arriving);
      return {
        id: destination.id,
        nodes: chain.map(({ id }) => id),
        path: 'bulk-csv',
        source: endOf(chain[0]),
        destination: endOf(destination),
      };
    });
  return { stages };
};
