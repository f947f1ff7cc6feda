import fc from 'fast-check';
import { neighbours, reach } from '../../../core/graph/graph.js';
import type { Graph, GraphEdge, GraphNode } from '../../../core/graph/index.js';
import { connectionId, edge, inline, into, node, parquet, shuffled, table } from './graphs.js';

const oneInput = [
  'transform.filter',
  'transform.select',
  'transform.derive',
  'transform.validate',
  'transform.aggregate',
  'transform.dedupe',
  'transform.sort',
  'transform.pivot',
  'transform.unpivot',
  'destination.table',
  'destination.files',
];

/** What is added to a graph; numbers choose among the nodes that are there. */
type Addition =
  | { make: 'source' | 'parquet' }
  | { make: 'next'; type: string; from: number }
  | { make: 'transform.join'; left: number; right: number }
  | { make: 'transform.union' | 'transform.sql'; froms: number[] }
  | { make: 'remote'; tables: number };

const choice = fc.nat(1_000);

const addition: fc.Arbitrary<Addition> = fc.oneof(
  { weight: 2, arbitrary: fc.constant({ make: 'source' as const }) },
  { weight: 3, arbitrary: fc.constant({ make: 'parquet' as const }) },
  {
    weight: 12,
    arbitrary: fc.record({
      make: fc.constant('next' as const),
      type: fc.constantFrom(...oneInput),
      from: choice,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      make: fc.constant('transform.join' as const),
      left: choice,
      right: choice,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      make: fc.constantFrom('transform.union' as const, 'transform.sql' as const),
      froms: fc.array(choice, { minLength: 1, maxLength: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ make: fc.constant('remote' as const), tables: fc.nat(3) }) },
);

const isDestination = ({ type }: GraphNode): boolean => type.startsWith('destination.');

class Growing {
  readonly nodes: GraphNode[] = [inline('n0')];
  readonly edges: GraphEdge[] = [];
  /** The nodes that others may read. */
  readonly #open: GraphNode[] = [...this.nodes];

  #pick(at: number): string {
    return (this.#open[at % this.#open.length] as GraphNode).id;
  }

  #put(made: GraphNode, open = !isDestination(made)): string {
    this.nodes.push(made);
    if (open) this.#open.push(made);
    return made.id;
  }

  add(wanted: Addition): void {
    const id = `n${this.nodes.length}`;
    switch (wanted.make) {
      case 'source':
        this.#put(inline(id));
        return;
      case 'parquet':
        this.#put(parquet(id));
        return;
      case 'transform.join':
        this.edges.push(into(this.#pick(wanted.left), id, 'left'));
        this.edges.push(into(this.#pick(wanted.right), id, 'right'));
        this.#put(node(wanted.make, id));
        return;
      case 'transform.union':
      case 'transform.sql':
        for (const [at, from] of wanted.froms.entries()) {
          const port = wanted.make === 'transform.sql' ? `p${at}` : 'in';
          const one = into(this.#pick(from), id, port);
          this.edges.push({ ...one, id: `${one.id}.${at}` });
        }
        this.#put(node(wanted.make, id));
        return;
      case 'remote':
        for (let at = 0; at < wanted.tables; at++) {
          const from = `${id}.${at}`;
          this.#put(
            { id: from, type: 'source.table', config: { connectionId, table: 't' } },
            false,
          );
          this.edges.push(edge(from, id));
        }
        if (wanted.tables > 0) this.#put(node('transform.sql', id, { connectionId }));
        return;
      case 'next':
        this.edges.push(edge(this.#pick(wanted.from), id));
        this.#put(node(wanted.type, id));
    }
  }

  /** A pipeline has a destination. */
  finished(): Graph {
    if (!this.nodes.some(isDestination)) {
      const last = this.#pick(this.#open.length - 1);
      this.edges.push(edge(last, 'last'));
      this.#put(table('last'));
    }
    return { nodes: this.nodes, edges: this.edges };
  }
}

/** Valid graphs: fan-out, diamonds, joins of a node with itself, several ends, unused branches. */
const grown: fc.Arbitrary<Graph> = fc
  .array(addition, { minLength: 1, maxLength: 25 })
  .map((additions) => {
    const graph = new Growing();
    for (const one of additions) graph.add(one);
    return graph.finished();
  });

/** The order of edges means something to unions, that of nodes nothing. */
export const withNodesShuffled = ({ nodes, edges }: Graph): fc.Arbitrary<Graph> =>
  shuffled(nodes).map((order) => ({ nodes: order, edges }));

export const dag: fc.Arbitrary<Graph> = grown.chain(({ nodes, edges }) =>
  fc.record({ nodes: shuffled(nodes), edges: shuffled(edges) }),
);

/** The nodes whose rows come to some destination. */
export const usedIn = ({ nodes, edges }: Graph): ReadonlySet<string> =>
  reach(
    nodes.filter(isDestination).map(({ id }) => id),
    neighbours(edges, 'backwards'),
  );
