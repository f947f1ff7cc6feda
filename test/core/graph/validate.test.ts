import { validateGraph } from '../../../core/graph/index.js';
import type { LooseGraph } from '../../../core/graph/graph.js';
import { edge, generate, node, simple, table } from './graphs.js';

const found = (graph: LooseGraph, mode: 'draft' | 'active' = 'active') => {
  const { errors, warnings } = validateGraph(graph, mode);
  const words = (issues: typeof errors) =>
    issues.map(({ pointer, code }) => `${pointer} ${code}`).sort();
  return { errors: words(errors), warnings: words(warnings) };
};

it('finds nothing in a source that feeds a table', () => {
  expect(validateGraph(simple, 'active')).toEqual({ errors: [], warnings: [] });
});

it('keeps open objects open', () => {
  const nodes = simple.nodes.map((node) => ({ ...node, position: { x: 1, y: 2 }, note: 'mine' }));
  const edges = simple.edges.map((one) => ({ ...one, label: 'load', sourcePort: 'out' }));
  expect(found({ nodes, edges })).toEqual({ errors: [], warnings: [] });
});

describe('what even a draft must have', () => {
  it.each([
    [{ nodes: [{ type: 'source.inline' }], edges: [] }, '/nodes/0/id required'],
    [{ nodes: [{ id: 'a' }], edges: [] }, '/nodes/0/type required'],
    [{ nodes: [{ id: 7, type: 'x' }], edges: [] }, '/nodes/0/id required'],
    [{ nodes: [{ id: '', type: 'x' }], edges: [] }, '/nodes/0/id required'],
    [{ nodes: [{ id: 'a\u0000', type: 'x' }], edges: [] }, '/nodes/0/id id'],
    [{ nodes: [{ id: 'a'.repeat(201), type: 'x' }], edges: [] }, '/nodes/0/id id'],
    [{ nodes: [], edges: [{ source: 'a', target: 'b' }] }, '/edges/0/id required'],
    [{ nodes: [], edges: [{ id: 'e', target: 'b' }] }, '/edges/0/source required'],
    [{ nodes: [], edges: [{ id: 'e', source: 'a' }] }, '/edges/0/target required'],
    [{ nodes: [], edges: [{ ...edge('a', 'b'), targetPort: 1 }] }, '/edges/0/targetPort type'],
    [{ nodes: [generate('a'), table('a')], edges: [] }, '/nodes/1/id duplicate_id'],
    [{ nodes: [], edges: [edge('a', 'b'), edge('a', 'b')] }, '/edges/1/id duplicate_id'],
  ])('%j: %s', (graph, issue) => {
    expect(found(graph, 'draft')).toEqual({ errors: [issue], warnings: [] });
    expect(found(graph, 'active')).toEqual({ errors: [issue], warnings: [] });
  });

  it('is not too large', () => {
    const nodes = (count: number) => Array.from({ length: count }, (_, at) => generate(`n${at}`));
    const edges = (count: number) => Array.from({ length: count }, (_, at) => edge('a', `b${at}`));
    expect(found({ nodes: nodes(501), edges: [] }, 'draft').errors).toEqual(['/nodes too_many']);
    expect(found({ nodes: [], edges: edges(2_001) }, 'draft').errors).toEqual(['/edges too_many']);
    expect(found({ nodes: nodes(500), edges: edges(2_000) }, 'draft').errors).toEqual([]);
  });
});

describe('what keeps a draft from running', () => {
  it.each([
    ['nothing at all', { nodes: [], edges: [] }, ['/nodes no_destination', '/nodes no_source']],
    [
      'an unknown type',
      {
        nodes: [...simple.nodes, { id: 'x', type: 'transform.magic' }],
        edges: [...simple.edges, edge('orders', 'x')],
      },
      ['/nodes/2 unused', '/nodes/2/type unknown_type'],
    ],
    [
      'a dangling source',
      { nodes: [...simple.nodes], edges: [...simple.edges, edge('nobody', 'else')] },
      ['/edges/1/source dangling_edge', '/edges/1/target dangling_edge'],
    ],
    [
      'an unknown output',
      { nodes: simple.nodes, edges: [{ ...edge('orders', 'warehouse'), sourcePort: 'left' }] },
      ['/edges/0/sourcePort unknown_port'],
    ],
    [
      'an unknown input',
      { nodes: simple.nodes, edges: [{ ...edge('orders', 'warehouse'), targetPort: 'left' }] },
      ['/edges/0/targetPort unknown_port', '/nodes/1 missing_input'],
    ],
    [
      'an edge into a source',
      {
        nodes: [...simple.nodes, generate('more')],
        edges: [...simple.edges, edge('orders', 'more')],
      },
      ['/edges/1/targetPort unknown_port', '/nodes/2 unused'],
    ],
    [
      'two edges into one input',
      {
        nodes: [...simple.nodes, generate('more')],
        edges: [...simple.edges, edge('more', 'warehouse')],
      },
      ['/edges/1/target port_taken'],
    ],
    [
      'a destination that nothing feeds',
      { nodes: [...simple.nodes, table('lonely')], edges: simple.edges },
      ['/nodes/2 missing_input', '/nodes/2 unreachable'],
    ],
    [
      'a source that feeds nothing',
      { nodes: [...simple.nodes, generate('lonely')], edges: simple.edges },
      ['/nodes/2 unused'],
    ],
    [
      'a config that does not fit',
      { nodes: [simple.nodes[0], { ...table('warehouse'), config: {} }], edges: simple.edges },
      [
        '/nodes/1/config/connectionId schema',
        '/nodes/1/config/mode schema',
        '/nodes/1/config/table schema',
      ],
    ],
    [
      'a config that is no object',
      { nodes: [simple.nodes[0], { ...table('warehouse'), config: [] }], edges: simple.edges },
      ['/nodes/1/config schema'],
    ],
  ])('%s', (_, graph, issues) => {
    const isUnused = (one: string): boolean => one.endsWith(' unused');
    expect(found(graph, 'draft')).toEqual({ errors: [], warnings: issues });
    expect(found(graph, 'active')).toEqual({
      errors: issues.filter((one) => !isUnused(one)),
      warnings: issues.filter(isUnused),
    });
  });

  it('a cycle, once and with the nodes in it', () => {
    const x = (id: string) => ({ id, type: 'transform.magic' });
    const { errors } = validateGraph(
      {
        nodes: [...simple.nodes, x('c'), x('a'), x('b')],
        edges: [...simple.edges, edge('a', 'b'), edge('b', 'c'), edge('c', 'a')],
      },
      'active',
    );
    expect(errors.filter(({ code }) => code === 'cycle')).toEqual([
      {
        pointer: '/nodes/2',
        code: 'cycle',
        message: 'These nodes wait for each other: c → a → b → c.',
      },
    ]);
  });

  it('a transform that nothing feeds, though it leads to a destination', () => {
    const nodes = [...simple.nodes, node('transform.union', 'u'), table('more')];
    const edges = [...simple.edges, edge('u', 'more')];
    expect(found({ nodes, edges }).errors).toEqual([
      '/nodes/2 missing_input',
      '/nodes/2 unreachable',
      '/nodes/3 unreachable',
    ]);
  });

  it('a node that feeds itself', () => {
    const { errors } = validateGraph(
      { nodes: simple.nodes, edges: [...simple.edges, edge('warehouse', 'warehouse')] },
      'active',
    );
    expect(errors.find(({ code }) => code === 'cycle')?.message).toMatch(
      /warehouse → warehouse\.$/,
    );
  });
});

it('lists at most a hundred issues', () => {
  const nodes = Array.from({ length: 300 }, (_, at) => ({ id: `n${at}`, type: 'x' }));
  expect(validateGraph({ nodes, edges: [] }, 'active').errors).toHaveLength(100);
});
