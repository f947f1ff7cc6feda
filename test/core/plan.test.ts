import fc from 'fast-check';
import { RunFailure } from '../../core/failures.js';
import { planGraph } from '../../core/plan.js';
import { edge, generate, simple, table, validGraph } from './graph/graphs.js';

it('makes one stage of a source and a destination', () => {
  const [source, destination] = simple.nodes;
  expect(planGraph(simple)).toEqual({
    stages: [
      {
        id: 'warehouse',
        nodes: ['orders', 'warehouse'],
        path: 'bulk-csv',
        source: { nodeId: 'orders', type: 'source.generate', config: source?.config },
        destination: {
          nodeId: 'warehouse',
          type: 'destination.table',
          config: destination?.config,
        },
      },
    ],
  });
});

it('reads a source once for each destination it feeds', () => {
  const { stages } = planGraph({
    nodes: [table('a'), generate('s'), table('b')],
    edges: [edge('s', 'b'), edge('s', 'a')],
  });
  expect(stages.map(({ id, nodes }) => [id, ...nodes])).toEqual([
    ['a', 's', 'a'],
    ['b', 's', 'b'],
  ]);
});

it('has every destination in one stage, every node in some, and ends that belong together', () => {
  fc.assert(
    fc.property(validGraph, (graph) => {
      const { stages } = planGraph(graph);
      const destinations = graph.nodes.filter(({ type }) => type.startsWith('destination.'));
      expect(stages.map(({ id }) => id)).toEqual(destinations.map(({ id }) => id));
      expect(new Set(stages.flatMap(({ nodes }) => nodes))).toEqual(
        new Set(graph.nodes.map(({ id }) => id)),
      );
      for (const { id, nodes, source, destination } of stages) {
        expect([nodes[0], nodes.at(-1)]).toEqual([source.nodeId, id]);
        expect(destination.nodeId).toBe(id);
        expect(source.type).toMatch(/^source\./);
        for (const [at, node] of nodes.slice(1).entries()) {
          const linked = graph.edges.some((one) => one.source === nodes[at] && one.target === node);
          expect(linked).toBe(true);
        }
      }
    }),
  );
});

it.each([
  ['a cycle', { ...simple, edges: [edge('orders', 'warehouse'), edge('warehouse', 'orders')] }],
  ['no edge', { ...simple, edges: [] }],
  ['nothing', { nodes: [], edges: [] }],
])('refuses %s instead of running in circles', (_, graph) => {
  expect(() => planGraph(graph)).toThrow(RunFailure);
});

it('says which node is to blame', () => {
  const broken = { ...simple, nodes: [generate('orders'), { ...table('warehouse'), config: {} }] };
  try {
    planGraph(broken);
    expect('planned').toBe('refused');
  } catch (error) {
    expect((error as RunFailure).failure).toMatchObject({
      code: 'config_invalid',
      class: 'config',
      nodeId: 'warehouse',
      message: expect.stringContaining('/nodes/1/config/connectionId') as string,
    });
  }
});
