import type { Issue } from '../errors.js';
import { nodeTypeOf, nodeTypes } from '../nodes/index.js';
import type { NodeType } from '../nodes/nodeType.js';
import { checkSchema } from '../schema.js';
import { checkCycles } from './cycles.js';
import { checkInputs } from './inputs.js';
import { checkRemote } from './remote.js';
import { neighbours, reach, sourcePortOf, targetPortOf } from './graph.js';
import type { Graph, GraphEdge, GraphNode, LooseGraph } from './graph.js';
import { checkShape } from './shape.js';

export interface Verdict {
  errors: Issue[];
  warnings: Issue[];
}

type TypeOf = ReadonlyMap<string, NodeType>;

const issue = (pointer: string, code: string, message: string): Issue => ({
  pointer,
  code,
  message,
});

const checkNode = (node: GraphNode, at: string): Issue[] => {
  const type = nodeTypeOf(node.type);
  if (!type) {
    const known = nodeTypes.map((candidate) => candidate.type).join(', ');
    return [issue(`${at}/type`, 'unknown_type', `Unknown node type. Known are ${known}.`)];
  }
  const config = node.config ?? {};
  const issues = checkSchema(type.config, config, `${at}/config`);
  return issues.length > 0 ? issues : (type.check?.(config, `${at}/config`) ?? []);
};

const checkEnds = (
  edge: GraphEdge,
  at: string,
  ids: ReadonlySet<string>,
  types: TypeOf,
): Issue[] => {
  const issues: Issue[] = [];
  for (const end of ['source', 'target'] as const) {
    if (!ids.has(edge[end])) {
      issues.push(issue(`${at}/${end}`, 'dangling_edge', 'There is no node with this id.'));
    }
  }
  const from = types.get(edge.source);
  const to = types.get(edge.target);
  if (from && !from.outputs.includes(sourcePortOf(edge))) {
    const ports = from.outputs.join(', ') || 'none';
    issues.push(
      issue(`${at}/sourcePort`, 'unknown_port', `${from.type} has these outputs: ${ports}.`),
    );
  }
  if (to && !to.namedInputs && !to.inputs.some(({ port }) => port === targetPortOf(edge))) {
    const ports = to.inputs.map(({ port }) => port).join(', ') || 'none';
    issues.push(
      issue(`${at}/targetPort`, 'unknown_port', `${to.type} has these inputs: ${ports}.`),
    );
  }
  return issues;
};

const idsOf = (nodes: readonly GraphNode[], types: TypeOf, role: NodeType['role']): string[] =>
  nodes.flatMap(({ id }) => (types.get(id)?.role === role ? [id] : []));

interface Reach {
  errors: Issue[];
  /** Branches that lead nowhere: a run leaves them out. */
  unused: Issue[];
}

const checkReach = (
  nodes: readonly GraphNode[],
  edges: readonly GraphEdge[],
  types: TypeOf,
): Reach => {
  const sources = idsOf(nodes, types, 'source');
  const destinations = idsOf(nodes, types, 'destination');
  const errors: Issue[] = [];
  if (sources.length === 0) errors.push(issue('/nodes', 'no_source', 'A pipeline needs a source.'));
  if (destinations.length === 0) {
    errors.push(issue('/nodes', 'no_destination', 'A pipeline needs a destination.'));
    return { errors, unused: [] };
  }
  const fed = reach(sources, neighbours(edges, 'forwards'));
  const used = reach(destinations, neighbours(edges, 'backwards'));
  const unused: Issue[] = [];
  for (const [index, { id }] of nodes.entries()) {
    const at = `/nodes/${index}`;
    if (!used.has(id)) {
      unused.push(issue(at, 'unused', 'This node feeds no destination: runs leave it out.'));
    } else if (!fed.has(id)) errors.push(issue(at, 'unreachable', 'No source feeds this node.'));
  }
  return { errors, unused };
};

const checkMeaning = (graph: Graph): Verdict => {
  const { nodes, edges } = graph;
  const ids = new Set(nodes.map(({ id }) => id));
  const types: TypeOf = new Map(
    nodes.flatMap(({ id, type }) => {
      const known = nodeTypeOf(type);
      return known ? [[id, known] as const] : [];
    }),
  );
  const { errors, unused } = checkReach(nodes, edges, types);
  return {
    errors: [
      ...nodes.flatMap((node, index) => checkNode(node, `/nodes/${index}`)),
      ...edges.flatMap((edge, index) => checkEnds(edge, `/edges/${index}`, ids, types)),
      ...checkInputs(nodes, edges, types),
      ...checkRemote(graph),
      ...checkCycles(nodes, edges),
      ...errors,
    ],
    warnings: unused,
  };
};

/** A graph that is wrong everywhere is not listed to its end. */
const mostIssues = 100;

/**
 * A draft may be incomplete, so what would keep it from running is a warning; a graph that runs may
 * not. Fields of the wrong type and equal ids are errors for both, and branches that lead nowhere
 * are warnings for both.
 */
export const validateGraph = (graph: LooseGraph, mode: 'draft' | 'active'): Verdict => {
  const shape = checkShape(graph);
  if (shape.length > 0) return { errors: shape.slice(0, mostIssues), warnings: [] };
  const { errors, warnings } = checkMeaning(graph as Graph);
  return mode === 'draft'
    ? { errors: [], warnings: [...errors, ...warnings].slice(0, mostIssues) }
    : { errors: errors.slice(0, mostIssues), warnings: warnings.slice(0, mostIssues) };
};
