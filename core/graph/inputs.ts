import type { Issue } from '../errors.js';
import type { NodeType } from '../nodes/nodeType.js';
import { relationName } from '../nodes/transformSql.js';
import { targetPortOf } from './graph.js';
import type { GraphEdge, GraphNode } from './graph.js';

type Arriving = readonly { edge: GraphEdge; at: number }[];

const missing = (at: string, message: string): Issue => ({
  pointer: at,
  code: 'missing_input',
  message,
});

const checkPorts = (type: NodeType, arriving: Arriving, at: string): Issue[] =>
  type.inputs.flatMap(({ port, many }) => {
    const here = arriving.filter(({ edge }) => targetPortOf(edge) === port);
    if (here.length === 0) return [missing(at, `Nothing arrives at input ${port}.`)];
    if (many) return [];
    return here.slice(1).map((one) => ({
      pointer: `/edges/${one.at}/target`,
      code: 'port_taken',
      message: `Input ${port} takes one edge.`,
    }));
  });

/** A query tells its inputs apart by name, whatever their case. */
const checkRelations = (arriving: Arriving, at: string): Issue[] => {
  if (arriving.length === 0) return [missing(at, 'No input arrives.')];
  const seen = new Set<string>();
  return arriving.flatMap((one) => {
    const name = relationName(targetPortOf(one.edge), one.edge.source);
    const key = name.toLowerCase();
    if (!seen.has(key)) {
      seen.add(key);
      return [];
    }
    const message = `Another input is called ${name}; name this one by its targetPort.`;
    return [{ pointer: `/edges/${one.at}/targetPort`, code: 'port_taken', message }];
  });
};

/** Every input has an edge, and only one where it takes only one. */
export const checkInputs = (
  nodes: readonly GraphNode[],
  edges: readonly GraphEdge[],
  types: ReadonlyMap<string, NodeType>,
): Issue[] => {
  const arriving = new Map<string, { edge: GraphEdge; at: number }[]>();
  for (const [at, edge] of edges.entries()) {
    const list = arriving.get(edge.target);
    if (list) list.push({ edge, at });
    else arriving.set(edge.target, [{ edge, at }]);
  }
  return nodes.flatMap(({ id }, index) => {
    const type = types.get(id);
    if (!type) return [];
    const check = type.namedInputs ? checkRelations : checkPorts.bind(undefined, type);
    return check(arriving.get(id) ?? [], `/nodes/${index}`);
  });
};
