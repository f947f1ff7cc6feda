import { validateGraph } from '../../../core/graph/index.js';
import type { GraphEdge, GraphNode } from '../../../core/graph/index.js';
import { connectionId, edge, generate, into, node, table } from './graphs.js';

const elsewhere = '0197f5f6-0000-7000-8000-000000000002';
const source = (id: string, config: object = {}): GraphNode => ({
  id,
  type: 'source.table',
  config: { connectionId, table: id, ...config },
});
const query: GraphNode = { id: 'q', type: 'source.query', config: { connectionId, sql: 'select' } };
const remote = node('transform.sql', 'sql', { connectionId });

const found = (nodes: readonly GraphNode[], edges: readonly GraphEdge[]) =>
  validateGraph(
    { nodes: [remote, table('end'), ...nodes], edges: [edge('sql', 'end'), ...edges] },
    'active',
  ).errors;
const faults = (...args: Parameters<typeof found>): string[] =>
  found(...args).map(({ pointer, code }) => `${pointer} ${code}`);

it('runs where its inputs are: tables and queries of the same connection', () => {
  expect(found([source('a'), query], [edge('a', 'sql'), into('q', 'sql', 'names')])).toEqual([]);
});

it.each<[string, GraphNode[], GraphEdge[]]>([
  ['another kind of source', [generate('a')], [edge('a', 'sql')]],
  ['another connection', [source('a', { connectionId: elsewhere })], [edge('a', 'sql')]],
  ['a transform', [source('a'), node('transform.filter', 'f')], [edge('a', 'f'), edge('f', 'sql')]],
  ['a source others read', [source('a'), table('b')], [edge('a', 'sql'), edge('a', 'b')]],
])('refuses %s, and says what to do', (_, nodes, edges) => {
  expect(faults(nodes, edges)).toEqual(['/nodes/0/config/connectionId remote_input']);
  expect(found(nodes, edges)[0]?.message).toMatch(/same connection.*Without a connectionId/);
});

it('refuses a source that is read step by step, and names too long for a system', () => {
  expect(
    faults([source('a', { incremental: { cursorColumn: 'id' } })], [edge('a', 'sql')]),
  ).toEqual(['/nodes/2/config/incremental remote_input']);
  const long = 'n'.repeat(64);
  expect(faults([source('a')], [into('a', 'sql', long)])).toEqual(['/nodes/0/config/sql name']);
});

it('lets the engine run it over anything where it has no connection', () => {
  const local = { ...remote, config: { sql: 'select' } };
  const graph = {
    nodes: [local, table('end'), generate('a')],
    edges: [edge('sql', 'end'), edge('a', 'sql')],
  };
  expect(validateGraph(graph, 'active').errors).toEqual([]);
});
