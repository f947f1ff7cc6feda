import { RunFailure } from '../../../core/failures.js';
import type { GraphEdge, GraphNode } from '../../../core/graph/index.js';
import { planGraph } from '../../../core/plan/index.js';
import type { Stage } from '../../../core/plan/stage.js';
import {
  connectionId,
  edge,
  generate,
  into,
  node,
  parquet,
  simple,
  table,
} from '../graph/graphs.js';

/** `flow orders → clean ⇒ clean`: what is read, through which steps, into what. */
const inWords = (stage: Stage): string => {
  const inputs = stage.kind === 'flow' ? [stage.input] : stage.inputs;
  const read = inputs.map(({ kind, nodeId }) => (kind === 'dataset' ? `[${nodeId}]` : nodeId));
  const steps = stage.steps.map(({ nodeId }) => nodeId);
  const written = stage.output.kind === 'dataset' ? `[${stage.id}]` : stage.id;
  return `${stage.kind}: ${[read.join(' + '), ...steps, written].join(' → ')}`;
};

const plan = (nodes: readonly GraphNode[], edges: readonly GraphEdge[]): string[] =>
  planGraph({ nodes, edges }).stages.map(inWords);

const filter = (id: string): GraphNode => node('transform.filter', id);
const sort = (id: string): GraphNode => node('transform.sort', id);
const join = (id: string): GraphNode => node('transform.join', id);
const sides = (left: string, right: string, target: string): GraphEdge[] => [
  into(left, target, 'left'),
  into(right, target, 'right'),
];
/** One after the other. */
const chain = (...ids: string[]): GraphEdge[] =>
  ids.slice(1).map((id, at) => edge(ids[at] ?? '', id));

it('carries rows from a source to a destination in one stage', () => {
  const [source, destination] = simple.nodes;
  expect(planGraph(simple)).toEqual({
    stages: [
      {
        kind: 'flow',
        id: 'warehouse',
        nodes: ['orders', 'warehouse'],
        steps: [],
        input: {
          kind: 'source',
          nodeId: 'orders',
          end: { nodeId: 'orders', type: 'source.generate', config: source?.config },
        },
        output: {
          kind: 'destination',
          end: { nodeId: 'warehouse', type: 'destination.table', config: destination?.config },
        },
      },
    ],
  });
});

it('keeps row-wise transforms in the stage', () => {
  const nodes = [generate('s'), filter('f'), node('transform.derive', 'd'), table('t')];
  const { stages } = planGraph({ nodes, edges: chain('s', 'f', 'd', 't') });
  expect(stages.map(inWords)).toEqual(['flow: s → f → d → t']);
  expect(stages[0]).toMatchObject({
    nodes: ['s', 'f', 'd', 't'],
    steps: [
      { nodeId: 'f', type: 'transform.filter', inputs: [{ port: 'in', from: 's' }] },
      { nodeId: 'd', type: 'transform.derive', inputs: [{ port: 'in', from: 'f' }] },
    ],
  });
});

it('reads a source that feeds several once, into a dataset', () => {
  const nodes = [generate('s'), table('a'), filter('f'), table('b')];
  expect(plan(nodes, [...chain('s', 'a'), ...chain('s', 'f', 'b')])).toEqual([
    'flow: s → [s]',
    'flow: [s] → a',
    'flow: [s] → f → b',
  ]);
});

it('works out once what several destinations get', () => {
  const nodes = [generate('s'), filter('f'), table('a'), table('b')];
  expect(plan(nodes, [...chain('s', 'f', 'a'), edge('f', 'b')])).toEqual([
    'flow: s → f → [f]',
    'flow: [f] → a',
    'flow: [f] → b',
  ]);
});

it('puts a source with its row-wise steps before a query, what follows into it', () => {
  const nodes = [generate('s'), filter('f'), sort('q'), filter('g'), table('t')];
  expect(plan(nodes, chain('s', 'f', 'q', 'g', 't'))).toEqual([
    'flow: s → f → [f]',
    'compute: [f] → q → g → [g]',
    'flow: [g] → t',
  ]);
});

it('makes one query of a join, what follows it and another blocking step', () => {
  const nodes = [
    generate('l'),
    generate('r'),
    join('j'),
    filter('f'),
    node('transform.aggregate', 'a'),
    table('t'),
  ];
  expect(plan(nodes, [...sides('l', 'r', 'j'), ...chain('j', 'f', 'a', 't')])).toEqual([
    'flow: l → [l]',
    'flow: r → [r]',
    'compute: [l] + [r] → j → f → a → [a]',
    'flow: [a] → t',
  ]);
});

it('has a query read Parquet where it lies, beside what has to be staged', () => {
  const nodes = [parquet('p'), generate('s'), join('j'), parquet('q'), join('k'), table('t')];
  const edges = [...sides('p', 's', 'j'), ...sides('j', 'q', 'k'), edge('k', 't')];
  const { stages } = planGraph({ nodes, edges });
  expect(stages.map(inWords)).toEqual([
    'flow: s → [s]',
    'compute: p + [s] + q → j → k → [k]',
    'flow: [k] → t',
  ]);
  expect(stages[1]).toMatchObject({
    nodes: ['p', 'q', 'j', 'k'],
    inputs: [
      { kind: 'source', nodeId: 'p', end: { nodeId: 'p', type: 'source.files' } },
      { kind: 'dataset', nodeId: 's', dataset: 's' },
      { kind: 'source', nodeId: 'q', end: { nodeId: 'q', type: 'source.files' } },
    ],
  });
});

it.each([
  ['named so', { path: 'a/*.csv', format: 'parquet' }, true],
  ['by its name in capitals', { path: 'a/*.PARQUET' }, true],
  ['text', { path: 'a/*.csv' }, false],
  ['text, whatever its name is', { path: 'a/*.parquet', format: 'csv' }, false],
  ['of a name that says nothing', { path: 'a/*' }, false],
  [
    'turned into types that its user lists',
    { path: 'a.parquet', options: { columns: [{ name: 'id', type: 'integer' }] } },
    false,
  ],
])('has a query read files in place that are %s: %j (%s)', (_, config, inPlace) => {
  const nodes = [{ ...parquet('p'), config: { connectionId, ...config } }, sort('q'), table('t')];
  const first = inPlace ? ['compute: p → q → [q]'] : ['flow: p → [p]', 'compute: [p] → q → [q]'];
  expect(plan(nodes, chain('p', 'q', 't'))).toEqual([...first, 'flow: [q] → t']);
});

it('stages Parquet that several read, or whose rows steps treat one by one: those may fail', () => {
  const several = [parquet('p'), join('j'), table('t')];
  expect(plan(several, [...sides('p', 'p', 'j'), edge('j', 't')])).toEqual([
    'flow: p → [p]',
    'compute: [p] → j → [j]',
    'flow: [j] → t',
  ]);
  const steps = [parquet('p'), filter('f'), sort('q'), table('t')];
  expect(plan(steps, chain('p', 'f', 'q', 't'))).toEqual([
    'flow: p → f → [f]',
    'compute: [f] → q → [q]',
    'flow: [q] → t',
  ]);
  expect(plan([parquet('p'), table('t')], chain('p', 't'))).toEqual(['flow: p → t']);
});

it('reads a dataset once for both sides of a join', () => {
  const nodes = [generate('s'), join('j'), table('t')];
  const { stages } = planGraph({ nodes, edges: [...sides('s', 's', 'j'), edge('j', 't')] });
  expect(stages.map(inWords)).toEqual(['flow: s → [s]', 'compute: [s] → j → [j]', 'flow: [j] → t']);
  expect(stages[1]?.steps[0]?.inputs).toEqual([
    { port: 'left', from: 's' },
    { port: 'right', from: 's' },
  ]);
});

it('has a diamond around a dataset, with the row-wise arm in the query', () => {
  const nodes = [generate('s'), filter('f'), join('j'), table('t')];
  expect(plan(nodes, [edge('s', 'f'), ...sides('f', 's', 'j'), edge('j', 't')])).toEqual([
    'flow: s → [s]',
    'compute: [s] → f → j → [j]',
    'flow: [j] → t',
  ]);
});

it('ends a query where several read its rows, and puts what each does to them before its load', () => {
  const nodes = [
    generate('s'),
    sort('q'),
    table('a'),
    filter('f'),
    table('b'),
    sort('z'),
    table('c'),
  ];
  const edges = [...chain('s', 'q', 'a'), ...chain('q', 'f', 'b'), ...chain('q', 'z', 'c')];
  expect(plan(nodes, edges)).toEqual([
    'flow: s → [s]',
    'compute: [s] → q → [q]',
    'flow: [q] → a',
    'flow: [q] → f → b',
    'compute: [q] → z → [z]',
    'flow: [z] → c',
  ]);
});

it('runs SQL over one input as a query too: only its author knows whether rows depend on others', () => {
  const nodes = [generate('s'), node('transform.sql', 'q'), table('t')];
  expect(plan(nodes, chain('s', 'q', 't'))).toEqual([
    'flow: s → [s]',
    'compute: [s] → q → [q]',
    'flow: [q] → t',
  ]);
});

it('takes the inputs of a union in the order of its edges, those of a join in that of its sides', () => {
  const ends = [generate('a'), generate('b'), table('t')];
  const union = { nodes: [...ends, node('transform.union', 'u')] };
  const joined = { nodes: [...ends, join('j')] };
  const firstStep = (graph: { nodes: GraphNode[] }, edges: GraphEdge[]) =>
    planGraph({ ...graph, edges }).stages.find(({ kind }) => kind === 'compute')?.steps[0]?.inputs;
  expect(firstStep(union, [edge('b', 'u'), edge('u', 't'), edge('a', 'u')])).toEqual([
    { port: 'in', from: 'b' },
    { port: 'in', from: 'a' },
  ]);
  const [left, right] = sides('a', 'b', 'j') as [GraphEdge, GraphEdge];
  expect(firstStep(joined, [right, edge('j', 't'), left])).toEqual([
    { port: 'left', from: 'a' },
    { port: 'right', from: 'b' },
  ]);
});

it('leaves out branches that lead nowhere, also where they would be a second reader', () => {
  const nodes = [generate('s'), table('t'), filter('f'), sort('q'), generate('lonely')];
  expect(plan(nodes, [edge('s', 't'), ...chain('s', 'f', 'q')])).toEqual(['flow: s → t']);
});

describe('SQL that another system runs', () => {
  const orders = { connectionId, table: 'orders', where: 'amount > 0' };
  const recent = { connectionId, sql: 'select 1', with: 'mine' };
  const nodes: GraphNode[] = [
    { id: 'orders', type: 'source.table', config: orders },
    { id: 'q', type: 'source.query', config: recent },
    node('transform.sql', 'sql', { connectionId, sql: 'select 2' }),
    table('t'),
  ];

  it('is one query over there with its sources named in it', () => {
    const edges = [edge('orders', 'sql'), into('q', 'sql', 'recent'), edge('sql', 't')];
    const { stages } = planGraph({ nodes, edges });
    expect(stages.map(inWords)).toEqual(['flow: sql → t']);
    expect(stages[0]).toMatchObject({
      nodes: ['orders', 'q', 'sql', 't'],
      input: {
        kind: 'source',
        nodeId: 'sql',
        end: {
          nodeId: 'sql',
          type: 'source.query',
          config: {
            connectionId,
            sql: 'select 2',
            with: [
              { name: 'orders', type: 'source.table', config: orders },
              { name: 'recent', type: 'source.query', config: { connectionId, sql: 'select 1' } },
            ],
          },
        },
      },
    });
  });

  it('is a source like any other to what comes after it', () => {
    const more = [...nodes, generate('s'), join('j'), filter('f')];
    const edges = [
      edge('orders', 'sql'),
      edge('q', 'sql'),
      edge('sql', 'f'),
      ...sides('f', 's', 'j'),
      edge('j', 't'),
    ];
    expect(plan(more, edges)).toEqual([
      'flow: sql → f → [f]',
      'flow: s → [s]',
      'compute: [f] + [s] → j → [j]',
      'flow: [j] → t',
    ]);
  });

  it('is the only one that may add relations to a query: a config says what its user may', () => {
    const [stage] = planGraph({
      nodes: nodes.filter(({ id }) => id === 'q' || id === 't'),
      edges: [edge('q', 't')],
    }).stages;
    expect(stage).toMatchObject({ input: { end: { type: 'source.query' } } });
    const { end } = (stage as Extract<Stage, { kind: 'flow' }>).input as {
      end: { config: object };
    };
    expect(end.config).toEqual({ connectionId, sql: 'select 1' });
  });
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
