import { RunFailure } from '../core/failures.js';
import type { Delivery } from '../connectors/connector.js';
import type { Job } from '../db/models/tables.js';
import type { Cursor } from '../db/repos/cursors.js';
import type { PlannedStage } from '../engine/plan.js';
import type { ActivityDeps } from './deps.js';

/** What a run does, as its row keeps it. */
export interface RunPlan {
  stages: readonly PlannedStage[];
  /** How far its sources will have been read when it has succeeded. */
  cursors: readonly Cursor[];
  /** What "now" means in its expressions, whenever a split is run. */
  now: string;
}

const lost = (message: string): RunFailure =>
  new RunFailure({ code: 'internal', class: 'internal', message });

export const planOf = (job: Job): RunPlan => {
  if (job.plan === null) throw lost('The run has no plan; start it again.');
  const plan = JSON.parse(job.plan) as RunPlan;
  const current = plan.stages.every((stage) => 'way' in stage);
  if (!current) throw lost('The run was planned by an older version; start it again.');
  return plan;
};

export interface StageOfRun {
  stage: PlannedStage;
  index: number;
  delivery: Delivery;
  snapshot: string | null;
  opened: boolean;
}

/** A stage as planned, and how far it is. */
export const stageOf = async (
  { repos }: Pick<ActivityDeps, 'repos'>,
  job: Job,
  id: string,
): Promise<StageOfRun> => {
  const { stages } = planOf(job);
  const index = stages.findIndex((stage) => stage.id === id);
  const stage = stages[index];
  const row = await repos.stages.find({ workspaceId: job.workspace_id }, job.id, id);
  if (!stage || !row) throw new RangeError(`no stage ${id} in job ${job.id}`);
  const { generation } = row;
  return {
    stage,
    index,
    delivery: { rootJobId: job.root_job_id, stage: id, generation },
    snapshot: row.snapshot_generation === generation ? row.snapshot : null,
    opened: row.opened_at !== null,
  };
};
