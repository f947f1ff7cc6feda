/**
 * What a run does, in the order in which it does it. Stages hand rows to each other as datasets:
 * Parquet in the staging store, named after the stage that made them.
 */

/** One end of a stage: a node and its configuration. */
export interface StageEnd {
  nodeId: string;
  type: string;
  config: unknown;
}

/** A transform within a stage. `from` names earlier steps, or what the stage reads, by node id. */
export interface Step {
  nodeId: string;
  type: string;
  config: unknown;
  inputs: readonly { port: string; from: string }[];
}

/** `nodeId`: the node whose rows these are, by which steps name them. */
export type StageInput =
  | { kind: 'source'; nodeId: string; end: StageEnd }
  | { kind: 'dataset'; nodeId: string; dataset: string };

export type StageOutput = { kind: 'destination'; end: StageEnd } | { kind: 'dataset' };

interface StageFrame {
  /** The id of the node it ends in; no two stages end in one. */
  id: string;
  /** Its nodes in the order in which rows pass them. */
  nodes: readonly string[];
  steps: readonly Step[];
}

/** One input, row by row: cut into splits that are read, transformed and written side by side. */
export interface FlowStage extends StageFrame {
  kind: 'flow';
  input: StageInput;
  output: StageOutput;
}

/**
 * Needs all rows of its inputs at once: one query into a dataset, over whole datasets and over
 * sources that it can read in place.
 */
export interface ComputeStage extends StageFrame {
  kind: 'compute';
  inputs: readonly StageInput[];
  output: { kind: 'dataset' };
}

export type Stage = FlowStage | ComputeStage;

export const stageInputs = (stage: Stage): readonly StageInput[] =>
  stage.kind === 'flow' ? [stage.input] : stage.inputs;

export const readsDataset = (stage: Stage, dataset: string): boolean =>
  stageInputs(stage).some((input) => input.kind === 'dataset' && input.dataset === dataset);

export interface RunPlan {
  /** Each after those whose datasets it reads. */
  stages: readonly Stage[];
}
