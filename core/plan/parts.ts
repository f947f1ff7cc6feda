import { remoteConnectionOf } from '../graph/remote.js';
import { neighbours, reach, targetPortOf } from '../graph/graph.js';
import type { Graph, GraphEdge, GraphNode } from '../graph/graph.js';
import { nodeTypeOf } from '../nodes/index.js';
import type { NamedSource, PlannedQueryConfig } from '../nodes/sourceQuery.js';
import { relationName } from '../nodes/transformSql.js';
import type { StageEnd } from './stage.js';

/** `row`: turns each row by itself. `whole`: needs all rows at once. */
export type Kind = 'source' | 'row' | 'whole' | 'destination';

/** What a plan is made of: a node that leads to a destination, and what arrives at it. */
export interface Part {
  kind: Kind;
  end: StageEnd;
  inputs: readonly { port: string; from: string }[];
  /** Whom its rows go to, once for each edge. */
  consumers: readonly string[];
  /** The nodes it stands for, itself last. */
  nodes: readonly string[];
}

const kindOf = (node: GraphNode): Kind => {
  const type = nodeTypeOf(node.type);
  if (type?.role === 'source' || remoteConnectionOf(node) !== undefined) return 'source';
  if (type?.role === 'destination') return 'destination';
  return type?.rowByRow ? 'row' : 'whole';
};

/** `with` in a query is ours to give: it names what a query in another system reads. */
const configOf = ({ type, config }: GraphNode): unknown =>
  type === 'source.query'
    ? Object.fromEntries(Object.entries(config ?? {}).filter(([key]) => key !== 'with'))
    : (config ?? {});

const endOf = (node: GraphNode): StageEnd => ({
  nodeId: node.id,
  type: node.type,
  config: configOf(node),
});

/** SQL that its own system runs, together with the sources it names: one query over there. */
const remoteEnd = (node: GraphNode, arriving: readonly [GraphEdge, GraphNode][]): StageEnd => {
  const { connectionId, sql } = node.config as { connectionId: string; sql: string };
  const named = arriving.map(
    ([edge, from]) =>
      ({
        name: relationName(targetPortOf(edge), from.id),
        type: from.type,
        config: configOf(from),
      }) as NamedSource,
  );
  const config: PlannedQueryConfig = { connectionId, sql, with: named };
  return { nodeId: node.id, type: 'source.query', config };
};

/** In the order of the type's ports, and within one port or without such an order in the edges'. */
const inOrderOfPorts = (node: GraphNode, edges: readonly GraphEdge[]): readonly GraphEdge[] => {
  const type = nodeTypeOf(node.type);
  if (!type || type.namedInputs) return edges;
  const ports = type.inputs.map(({ port }) => port);
  const rank = (edge: GraphEdge): number => ports.indexOf(targetPortOf(edge));
  return [...edges].sort((one, other) => rank(one) - rank(other));
};

const grouped = <T>(things: readonly T[], keyOf: (thing: T) => string): Map<string, T[]> => {
  const groups = new Map<string, T[]>();
  for (const thing of things) {
    const group = groups.get(keyOf(thing));
    if (group) group.push(thing);
    else groups.set(keyOf(thing), [thing]);
  }
  return groups;
};

/** The parts of a valid graph by node id, in the graph's order. */
export const partsOf = ({ nodes, edges }: Graph): ReadonlyMap<string, Part> => {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const destinations = nodes.filter((node) => kindOf(node) === 'destination');
  const used = reach(
    destinations.map(({ id }) => id),
    neighbours(edges, 'backwards'),
  );
  const travelled = edges.filter(({ source, target }) => used.has(source) && used.has(target));
  const arriving = grouped(travelled, ({ target }) => target);
  const leaving = grouped(travelled, ({ source }) => source);
  const parts = new Map<string, Part>();
  const absorbed = new Set<string>();
  for (const node of nodes) {
    if (!used.has(node.id)) continue;
    const kind = kindOf(node);
    const incoming = inOrderOfPorts(node, arriving.get(node.id) ?? []);
    const consumers = (leaving.get(node.id) ?? []).map(({ target }) => target);
    if (kind !== 'source') {
      const inputs = incoming.map((edge) => ({ port: targetPortOf(edge), from: edge.source }));
      parts.set(node.id, { kind, end: endOf(node), inputs, consumers, nodes: [node.id] });
      continue;
    }
    const sources = incoming.flatMap((edge): [GraphEdge, GraphNode][] => {
      const from = byId.get(edge.source);
      return from ? [[edge, from]] : [];
    });
    for (const [, { id }] of sources) absorbed.add(id);
    parts.set(node.id, {
      kind,
      end: sources.length === 0 ? endOf(node) : remoteEnd(node, sources),
      inputs: [],
      consumers,
      nodes: [...sources.map(([, { id }]) => id), node.id],
    });
  }
  for (const id of absorbed) parts.delete(id);
  return parts;
};
