import fc from 'fast-check';
import { validateGraph } from '../../../core/graph/index.js';
import { nodeTypes } from '../../../core/nodes/index.js';
import type { Graph } from '../../../core/graph/index.js';
import { dag, usedIn } from './dags.js';
import { edge, generate, table, validGraph } from './graphs.js';

const id = fc.constantFrom('a', 'b', 'c', 'd', '');
const type = fc.constantFrom(...nodeTypes.map((known) => known.type), 'x');
const port = fc.constantFrom('in', 'out', 'left', '', undefined, 7);
const config = fc.oneof(fc.anything(), fc.constantFrom(...nodeTypes.map(({ example }) => example)));

/** Half-right graphs get further into the rules than arbitrary values do. */
const halfRight = fc.record({
  nodes: fc.array(fc.record({ id, type, config }, { requiredKeys: [] })),
  edges: fc.array(
    fc.record(
      { id: fc.string(), source: id, target: id, sourcePort: port, targetPort: port },
      { requiredKeys: ['id'] },
    ),
  ),
});
const anything = fc.record({ nodes: fc.array(fc.anything()), edges: fc.array(fc.anything()) });

it('never throws, and a draft is refused only for what also keeps it from running', () => {
  fc.assert(
    fc.property(fc.oneof(halfRight, anything), (graph) => {
      const draft = validateGraph(graph, 'draft');
      const active = validateGraph(graph, 'active');
      expect([...draft.errors, ...draft.warnings]).toEqual([...active.errors, ...active.warnings]);
      for (const { code } of active.warnings) expect(code).toBe('unused');
      for (const { pointer, message } of active.errors) {
        expect(pointer).toMatch(/^\/(nodes|edges)(\/\d+(\/|$)|$)/);
        expect(message).not.toBe('');
      }
    }),
    { numRuns: 500 },
  );
});

it('finds nothing in a valid graph but branches that lead nowhere, in whatever order', () => {
  fc.assert(
    fc.property(dag, (graph) => {
      const { errors, warnings } = validateGraph(graph, 'active');
      expect(errors).toEqual([]);
      const used = usedIn(graph);
      const left = graph.nodes.flatMap(({ id: one }, at) =>
        used.has(one) ? [] : [`/nodes/${at}`],
      );
      expect(warnings.map(({ pointer }) => pointer)).toEqual(left);
    }),
  );
});

const isDestination = ({ type: word }: { type: string }): boolean =>
  word.startsWith('destination.');

const faults: Record<string, (graph: Graph) => [graph: Graph, code: string, pointer: RegExp]> = {
  'a lost edge': ({ nodes, edges }) => [
    { nodes, edges: edges.slice(1) },
    'missing_input',
    /^\/nodes\/\d+$/,
  ],
  'an edge from nowhere': ({ nodes, edges }) => [
    { nodes, edges: edges.map((one, at) => (at === 0 ? { ...one, source: 'nowhere' } : one)) },
    'dangling_edge',
    /^\/edges\/0\/source$/,
  ],
  'an edge to nowhere': ({ nodes, edges }) => [
    { nodes, edges: [...edges, edge(nodes[0]?.id ?? '', 'nowhere')] },
    'dangling_edge',
    /\/target$/,
  ],
  'a second feeder': ({ nodes, edges }) => [
    {
      nodes: [...nodes, generate('second')],
      edges: [...edges, edge('second', nodes.find(isDestination)?.id ?? '')],
    },
    'port_taken',
    /^\/edges\/\d+\/target$/,
  ],
  'a way back': ({ nodes, edges }) => [
    { nodes, edges: [...edges, edge(edges[0]?.target ?? '', edges[0]?.source ?? '')] },
    'cycle',
    /^\/nodes\/\d+$/,
  ],
  'an unknown type': ({ nodes, edges }) => [
    { nodes: nodes.map((node, at) => (at === 0 ? { ...node, type: 'x' } : node)), edges },
    'unknown_type',
    /^\/nodes\/0\/type$/,
  ],
  'an empty config': ({ nodes, edges }) => [
    { nodes: nodes.map((node, at) => (at === 0 ? { ...node, config: {} } : node)), edges },
    'schema',
    /^\/nodes\/0\/config\/\w+$/,
  ],
  'a lonely destination': ({ nodes, edges }) => [
    { nodes: [...nodes, table('lonely')], edges },
    'unreachable',
    /^\/nodes\/\d+$/,
  ],
  'no destination': ({ nodes }) => [
    { nodes: nodes.filter((node) => !isDestination(node)), edges: [] },
    'no_destination',
    /^\/nodes$/,
  ],
  'no source': ({ nodes }) => [
    { nodes: nodes.filter(isDestination), edges: [] },
    'no_source',
    /^\/nodes$/,
  ],
  'a node twice': ({ nodes, edges }) => [
    { nodes: [...nodes, ...nodes.slice(0, 1)], edges },
    'duplicate_id',
    /^\/nodes\/\d+\/id$/,
  ],
  'an edge twice': ({ nodes, edges }) => [
    { nodes, edges: [...edges, ...edges.slice(0, 1)] },
    'duplicate_id',
    /^\/edges\/\d+\/id$/,
  ],
};

it.each(Object.entries(faults))('finds %s in any graph', (_, inject) => {
  fc.assert(
    fc.property(validGraph, (graph) => {
      const [broken, code, pointer] = inject(graph);
      const { errors } = validateGraph(broken, 'active');
      expect(errors.some((one) => one.code === code && pointer.test(one.pointer))).toBe(true);
    }),
  );
});
