import { connectionIdsOf, connectionUses, parseGraph } from '../../../core/graph/index.js';
import { connectionId, edge, generate, simple, table } from './graphs.js';

const other = '0197f5f6-0000-7000-8000-000000000002';

it('finds where a graph names connections, and in what role', () => {
  const elsewhere = { ...table('b'), config: { connectionId: other } };
  const unknown = { id: 'u', type: 'source.later', config: { connectionId: other } };
  const remote = { id: 'r', type: 'transform.sql', config: { sql: 'x', connectionId } };
  const nodes = [generate('s'), table('a'), elsewhere, unknown, remote];
  expect(connectionUses({ nodes })).toEqual([
    { pointer: '/nodes/1/config/connectionId', connectionId, role: 'destination' },
    { pointer: '/nodes/2/config/connectionId', connectionId: other, role: 'destination' },
    { pointer: '/nodes/3/config/connectionId', connectionId: other, role: undefined },
    { pointer: '/nodes/4/config/connectionId', connectionId, role: 'source' },
  ]);
  expect(connectionIdsOf({ nodes })).toEqual([connectionId, other]);
});

it.each([null, 7, {}, { config: null }, { config: [] }, { config: { connectionId: 7 } }])(
  'finds none in %j',
  (node) => {
    expect(connectionUses({ nodes: [node] })).toEqual([]);
  },
);

it('passes over what is no id, and over nodes that have no connections', () => {
  const badly = { ...table('a'), config: { connectionId: connectionId.toUpperCase() + 'F' } };
  const needless = { ...generate('s'), config: { connectionId } };
  expect(connectionIdsOf({ nodes: [badly, needless] })).toEqual([]);
});

it('reads a stored graph as it was written', () => {
  const stored = { nodes: JSON.stringify(simple.nodes), edges: JSON.stringify(simple.edges) };
  expect(parseGraph(stored)).toEqual({ nodes: simple.nodes, edges: [edge('orders', 'warehouse')] });
});
