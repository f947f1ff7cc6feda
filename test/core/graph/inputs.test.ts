import { validateGraph } from '../../../core/graph/index.js';
import type { GraphEdge } from '../../../core/graph/index.js';
import { edge, generate, into, node, table } from './graphs.js';

const found = (type: string, edges: readonly GraphEdge[]): string[] =>
  validateGraph(
    {
      nodes: [generate('a'), generate('B'), node(type, 't'), table('end'), table('other')],
      edges: [edge('t', 'end'), ...edges, edge('a', 'other')],
    },
    'active',
  ).errors.map(({ pointer, code }) => `${pointer} ${code}`);

describe.each(['transform.filter', 'transform.sort', 'transform.validate'])('%s', (type) => {
  it('takes one edge', () => {
    expect(found(type, [edge('a', 't')])).toEqual([]);
    expect(found(type, [edge('a', 't'), edge('B', 't')])).toEqual(['/edges/2/target port_taken']);
  });
});

describe('transform.join', () => {
  it('takes one edge on each side', () => {
    expect(found('transform.join', [into('a', 't', 'left'), into('B', 't', 'right')])).toEqual([]);
    expect(found('transform.join', [into('a', 't', 'left')])).toEqual(['/nodes/2 missing_input']);
    expect(found('transform.join', [into('a', 't', 'left'), edge('B', 't')])).toEqual([
      '/edges/2/targetPort unknown_port',
      '/nodes/2 missing_input',
    ]);
  });

  it('may have one node on both', () => {
    expect(found('transform.join', [into('a', 't', 'left'), into('a', 't', 'right')])).toEqual([]);
  });
});

describe('transform.union', () => {
  it('takes any number of edges, from one', () => {
    expect(found('transform.union', [edge('a', 't')])).toEqual([]);
    expect(found('transform.union', [edge('a', 't'), edge('B', 't')])).toEqual([]);
  });
});

describe('transform.sql', () => {
  const sql = (...edges: GraphEdge[]): string[] => found('transform.sql', edges);

  it('names its inputs after ports, or after the nodes they come from', () => {
    expect(sql(edge('a', 't'))).toEqual([]);
    expect(sql(edge('a', 't'), edge('B', 't'))).toEqual([]);
    expect(sql(into('a', 't', 'x'), into('a', 't', 'y'))).toEqual([]);
    expect(sql(edge('a', 't'), into('a', 't', 'again'))).toEqual([]);
  });

  it('wants an input, and a name for each, whatever its case', () => {
    expect(sql()).toContain('/nodes/2 missing_input');
    expect(sql(into('a', 't', 'x'), into('B', 't', 'X'))).toEqual([
      '/edges/2/targetPort port_taken',
    ]);
    expect(sql(edge('B', 't'), into('a', 't', 'b'))).toEqual(['/edges/2/targetPort port_taken']);
    const twice = { ...edge('a', 't'), id: 'twice' };
    expect(sql(edge('a', 't'), twice)).toEqual(['/edges/2/targetPort port_taken']);
  });
});
