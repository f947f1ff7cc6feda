import fc from 'fast-check';
import { nodeTypeOf } from '../../../core/nodes/index.js';
import type { Graph, GraphEdge, GraphNode } from '../../../core/graph/index.js';

export const connectionId = '0197f5f6-0000-7000-8000-000000000001';

export const generate = (id: string): GraphNode => ({
  id,
  type: 'source.generate',
  config: { rows: 10, columns: [{ name: 'id', generator: 'sequence' }] },
});

export const inline = (id: string): GraphNode => ({
  id,
  type: 'source.inline',
  config: { columns: [{ name: 'id', type: 'integer' }], rows: [[1], [2]] },
});

/** Files whose rows cannot be malformed. */
export const parquet = (id: string): GraphNode => ({
  id,
  type: 'source.files',
  config: { connectionId, path: `${id}/*.parquet` },
});

export const table = (id: string): GraphNode => ({
  id,
  type: 'destination.table',
  config: { connectionId, table: 'orders', mode: 'append' },
});

export const edge = (source: string, target: string): GraphEdge => ({
  id: `${source}>${target}`,
  source,
  target,
});

/** Into a port of a name. */
export const into = (source: string, target: string, targetPort: string): GraphEdge => ({
  ...edge(source, target),
  id: `${source}>${target}.${targetPort}`,
  targetPort,
});

/** A node of any type, configured as the catalogue's example is. */
export const node = (type: string, id: string, config: object = {}): GraphNode => ({
  id,
  type,
  config: { ...nodeTypeOf(type)?.example, ...config },
});

export const simple: Graph = {
  nodes: [generate('orders'), table('warehouse')],
  edges: [edge('orders', 'warehouse')],
};

/** Valid ones: some sources, each feeding at least one destination, in any order. */
export const validGraph: fc.Arbitrary<Graph> = fc
  .array(fc.record({ isInline: fc.boolean(), feeds: fc.integer({ min: 1, max: 4 }) }), {
    minLength: 1,
    maxLength: 5,
  })
  .chain((plans) => {
    const nodes = plans.flatMap(({ isInline, feeds }, index) => [
      isInline ? inline(`s${index}`) : generate(`s${index}`),
      ...Array.from({ length: feeds }, (_, at) => table(`d${index}.${at}`)),
    ]);
    const edges = plans.flatMap(({ feeds }, index) =>
      Array.from({ length: feeds }, (_, at) => edge(`s${index}`, `d${index}.${at}`)),
    );
    return fc.record({ nodes: shuffled(nodes), edges: shuffled(edges) });
  });

export const shuffled = <T>(list: readonly T[]): fc.Arbitrary<T[]> =>
  fc.shuffledSubarray([...list], { minLength: list.length, maxLength: list.length });
