import fc from 'fast-check';
import { targetPortOf } from '../../../core/graph/graph.js';
import type { Graph } from '../../../core/graph/index.js';
import { nodeTypeOf } from '../../../core/nodes/index.js';
import { readInPlace } from '../../../core/plan/inPlace.js';
import { planGraph } from '../../../core/plan/index.js';
import type { Stage, StageInput } from '../../../core/plan/stage.js';
import { dag, usedIn, withNodesShuffled } from '../graph/dags.js';

const inputsOf = (stage: Stage): readonly StageInput[] =>
  stage.kind === 'flow' ? [stage.input] : stage.inputs;

const planned = (check: (graph: Graph, stages: readonly Stage[]) => void): void => {
  fc.assert(
    fc.property(dag, (graph) => {
      check(graph, planGraph(graph).stages);
    }),
    { numRuns: 300 },
  );
};

/** Sources that a query in their own system reads: they are part of its end, not ends themselves. */
const absorbedIn = ({ nodes, edges }: Graph): ReadonlySet<string> => {
  const remote = nodes.filter(
    ({ type, config }) => type === 'transform.sql' && 'connectionId' in (config as object),
  );
  const ids = new Set(remote.map(({ id }) => id));
  return new Set(edges.flatMap(({ source, target }) => (ids.has(target) ? [source] : [])));
};

it('has each node that leads to a destination in one stage, and no other', () => {
  planned((graph, stages) => {
    const all = stages.flatMap(({ nodes }) => nodes);
    expect([...all].sort()).toEqual([...usedIn(graph)].sort());
  });
});

it('has each of them there as what it is: a step, the source or the destination', () => {
  planned((graph, stages) => {
    const absorbed = absorbedIn(graph);
    for (const stage of stages) {
      const ends = [
        ...inputsOf(stage).flatMap((input) => (input.kind === 'source' ? [input.end] : [])),
        ...stage.steps,
        ...(stage.output.kind === 'destination' ? [stage.output.end] : []),
      ];
      expect(ends.map(({ nodeId }) => nodeId)).toEqual(
        stage.nodes.filter((id) => !absorbed.has(id)),
      );
      expect(ends.at(-1)?.nodeId).toBe(stage.id);
      for (const { nodeId, type, config } of ends) {
        const node = graph.nodes.find(({ id }) => id === nodeId);
        if (type !== 'source.query')
          expect({ type, config }).toEqual({ type: node?.type, config: node?.config });
      }
    }
  });
});

it('makes each dataset once, before whoever reads it, and none that nobody reads', () => {
  planned((_, stages) => {
    const made = new Set<string>();
    const read = new Set<string>();
    for (const stage of stages) {
      for (const input of inputsOf(stage)) {
        if (input.kind === 'source') continue;
        expect(made).toContain(input.dataset);
        expect(input.nodeId).toBe(input.dataset);
        read.add(input.dataset);
      }
      expect(made).not.toContain(stage.id);
      if (stage.output.kind === 'dataset') made.add(stage.id);
    }
    expect(read).toEqual(made);
  });
});

it('has only row-wise steps in flows, some other in queries, which read datasets or in place', () => {
  planned((graph, stages) => {
    for (const stage of stages) {
      const blocking = stage.steps.filter(({ type }) => !nodeTypeOf(type)?.rowByRow);
      if (stage.kind === 'flow') {
        expect(blocking).toEqual([]);
      } else {
        expect(blocking).not.toEqual([]);
        for (const input of stage.inputs) {
          if (input.kind !== 'source') continue;
          expect(readInPlace(input.end)).toBe(true);
          // What others read, too, is read once; and the source's rows go to a query, or not at all.
          const used = usedIn(graph);
          const readers = graph.edges.filter(
            ({ source, target }) => source === input.nodeId && used.has(target),
          );
          expect(readers).toHaveLength(1);
          const reader = stage.steps.find(({ nodeId }) => nodeId === readers[0]?.target);
          expect(nodeTypeOf(reader?.type ?? '')?.rowByRow).toBeUndefined();
        }
        const ids = stage.inputs.map(({ nodeId }) => nodeId);
        expect(new Set(ids).size).toBe(ids.length);
      }
    }
  });
});

it('honours each edge once: within a stage, or from a dataset into one', () => {
  planned((graph, stages) => {
    const used = usedIn(graph);
    const absorbed = absorbedIn(graph);
    const wanted = graph.edges
      .filter(({ source, target }) => used.has(source) && used.has(target) && !absorbed.has(source))
      .map((edge) => `${edge.source} > ${edge.target}.${targetPortOf(edge)}`);
    const found = stages.flatMap((stage) => {
      const known = new Set(inputsOf(stage).map(({ nodeId }) => nodeId));
      let last = [...known].at(-1) ?? '';
      const arrivals = stage.steps.flatMap(({ nodeId, inputs }) => {
        for (const { from } of inputs) expect(known).toContain(from);
        known.add(nodeId);
        last = nodeId;
        return inputs.map(({ port, from }) => `${from} > ${nodeId}.${port}`);
      });
      return stage.output.kind === 'destination'
        ? [...arrivals, `${last} > ${stage.output.end.nodeId}.in`]
        : arrivals;
    });
    expect(found.sort()).toEqual(wanted.sort());
  });
});

it('fuses what can be: a dataset is there for a reason', () => {
  planned((graph, stages) => {
    const used = usedIn(graph);
    const byId = new Map(stages.map((stage) => [stage.id, stage]));
    for (const stage of stages) {
      if (stage.output.kind === 'destination') continue;
      const edges = graph.edges.filter(
        ({ source, target }) => source === stage.id && used.has(target),
      );
      if (edges.length > 1) continue;
      // Its rows go to one stage only: a source's into a query, or a query's to a destination.
      const [reader] = stages.filter((one) =>
        inputsOf(one).some((input) => input.kind === 'dataset' && input.dataset === stage.id),
      );
      if (stage.kind === 'compute') {
        expect(reader).toMatchObject({ kind: 'flow', steps: [], output: { kind: 'destination' } });
      } else {
        expect(byId.get(stage.id)).toMatchObject({ input: { kind: 'source' } });
        expect(reader).toMatchObject({ kind: 'compute' });
        const inPlace =
          stage.steps.length === 0 && stage.input.kind === 'source' && readInPlace(stage.input.end);
        expect(inPlace).toBe(false);
      }
    }
  });
});

it('does not depend on the order in which nodes are written', () => {
  const pairs = dag.chain((graph) => fc.tuple(fc.constant(graph), withNodesShuffled(graph)));
  fc.assert(
    fc.property(pairs, ([graph, other]) => {
      const sorted = (one: Graph): Stage[] =>
        [...planGraph(one).stages].sort((a, b) => (a.id < b.id ? -1 : 1));
      expect(sorted(other)).toEqual(sorted(graph));
    }),
  );
});
