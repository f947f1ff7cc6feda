import { sqlOf } from '../../../core/graph/index.js';
import { connectionId, generate, node } from './graphs.js';

it('finds all SQL of a graph, where it is, what it is and whose', () => {
  const nodes = [
    generate('g'),
    { id: 't', type: 'source.table', config: { connectionId, table: 't', where: 'a > 1' } },
    node('transform.derive', 'd', { columns: [{ name: 'a', expression: 'b + 1' }] }),
    node('transform.sql', 's', { sql: 'select 1' }),
  ];
  expect(sqlOf({ nodes })).toEqual([
    {
      nodeId: 't',
      pointer: '/nodes/1/config/where',
      sql: 'a > 1',
      kind: 'expression',
      dialect: 'connection',
    },
    {
      nodeId: 'd',
      pointer: '/nodes/2/config/columns/0/expression',
      sql: 'b + 1',
      kind: 'expression',
      dialect: 'engine',
    },
    {
      nodeId: 's',
      pointer: '/nodes/3/config/sql',
      sql: 'select 1',
      kind: 'query',
      dialect: 'engine',
    },
  ]);
});

it.each([
  null,
  7,
  {},
  { type: 'transform.filter', config: { where: 'a' } },
  { id: 'f', type: 'transform.filter' },
  { id: 'f', type: 'transform.filter', config: { where: 7 } },
  { id: 'x', type: 'x', config: { where: 'a' } },
])('finds none in %j', (one) => {
  expect(sqlOf({ nodes: [one] })).toEqual([]);
});
