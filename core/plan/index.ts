import { RunFailure } from '../failures.js';
import { validateGraph } from '../graph/index.js';
import type { Graph } from '../graph/index.js';
import { goesOnInStage } from './fuse.js';
import { partsOf } from './parts.js';
import type { Part } from './parts.js';
import { stageInputs } from './stage.js';
import type { RunPlan, Stage, StageInput, Step } from './stage.js';

/** What was valid when it was saved need not be so for the version that runs it. */
const refuseInvalid = (graph: Graph): void => {
  const [issue] = validateGraph(graph, 'active').errors;
  if (!issue) return;
  const index = /^\/nodes\/(\d+)/.exec(issue.pointer)?.[1];
  const nodeId = index === undefined ? undefined : graph.nodes[Number(index)]?.id;
  throw new RunFailure({
    code: 'config_invalid',
    class: 'config',
    message: `The pipeline cannot run as it is (${issue.pointer}): ${issue.message}`,
    ...(nodeId === undefined ? {} : { nodeId }),
  });
};

const partOf = (id: string, parts: ReadonlyMap<string, Part>): Part => {
  const part = parts.get(id);
  if (!part) throw new RangeError(`the graph has no node ${id}`);
  return part;
};

/** A stage's parts, inputs before what they feed; their last one is where the stage ends. */
const partsUpTo = (last: Part, parts: ReadonlyMap<string, Part>): Part[] => [
  ...last.inputs.flatMap(({ from }) => {
    const before = partOf(from, parts);
    return goesOnInStage(before, parts) ? partsUpTo(before, parts) : [];
  }),
  last,
];

const stepOf = ({ end, inputs }: Part): Step => ({ ...end, inputs });

/** What the members of a stage read that is none of them, once each and in the order of use. */
const inputsOf = (members: readonly Part[], parts: ReadonlyMap<string, Part>): StageInput[] => {
  const within = new Set(members.map(({ end }) => end.nodeId));
  const inputs = new Map<string, StageInput>();
  for (const { kind, end, inputs: arriving } of members) {
    if (kind === 'source') inputs.set(end.nodeId, { kind, nodeId: end.nodeId, end });
    for (const { from } of arriving) {
      if (within.has(from)) continue;
      const { end: before } = partOf(from, parts);
      inputs.set(from, { kind: 'dataset', nodeId: before.nodeId, dataset: before.nodeId });
    }
  }
  return [...inputs.values()];
};

const stageOf = (last: Part, parts: ReadonlyMap<string, Part>): Stage => {
  const members = partsUpTo(last, parts);
  const steps = members.filter(({ kind }) => kind === 'row' || kind === 'whole').map(stepOf);
  const inputs = inputsOf(members, parts);
  const id = last.end.nodeId;
  // What is read is there before any row passes: a query's sources come first, all of them.
  const sources = members.filter(({ kind }) => kind === 'source');
  const others = members.filter(({ kind }) => kind !== 'source');
  const nodes = [...sources, ...others].flatMap((member) => member.nodes);
  const frame = { id, nodes, steps };
  if (members.some(({ kind }) => kind === 'whole')) {
    return { kind: 'compute', ...frame, inputs, output: { kind: 'dataset' } };
  }
  const [input, ...more] = inputs;
  if (!input || more.length > 0) throw new RangeError(`stage ${id} has not one input`);
  const output =
    last.kind === 'destination' ? { kind: last.kind, end: last.end } : { kind: 'dataset' as const };
  return { kind: 'flow', ...frame, input, output };
};

/** From each destination back: what a stage reads is made before it, and only once. */
const inOrderOfWork = (stages: readonly Stage[]): Stage[] => {
  const byId = new Map(stages.map((stage) => [stage.id, stage]));
  const ordered = new Set<Stage>();
  const add = (stage: Stage | undefined): void => {
    if (!stage || ordered.has(stage)) return;
    for (const input of stageInputs(stage)) {
      if (input.kind === 'dataset') add(byId.get(input.dataset));
    }
    ordered.add(stage);
  };
  for (const stage of stages) if (stage.output.kind === 'destination') add(stage);
  return [...ordered];
};

/** The stages of a graph. Of branches that lead to no destination there is nothing in it. */
export const planGraph = (graph: Graph): RunPlan => {
  refuseInvalid(graph);
  const parts = partsOf(graph);
  const ends = [...parts.values()].filter((part) => !goesOnInStage(part, parts));
  return { stages: inOrderOfWork(ends.map((last) => stageOf(last, parts))) };
};
