/**
 * Names and shapes shared by workflows and whoever starts or signals them. Payloads carry ids and
 * small numbers only: everything else is read from Postgres by an activity.
 */
import type { JobType } from '../core/jobs.js';
import type { Failure } from '../core/failures.js';
import type { LiveCallName } from '../core/live.js';
import type { TerminalStatus } from '../core/status.js';

/** Task queues; each gets the installation's prefix in front. */
export const queues = {
  /** Workflows, and activities on our own metadata. */
  control: 'control',
  /** Activities that move data. One slot per core. */
  batch: 'batch',
  /** What is awaited by somebody who asked just now. */
  live: 'live',
  /** Activities that hold something open for as long as others work. */
  streams: 'streams',
} as const;
export type Queue = (typeof queues)[keyof typeof queues];

export const signals = { cancel: 'cancel' } as const;

/** What every job's workflow is started with. */
export interface JobInput {
  jobId: string;
  /** After this long without a heartbeat an activity counts as lost with its worker. */
  heartbeatSeconds: number;
}

export interface JobRef {
  jobId: string;
}

export interface SplitRef extends JobRef {
  stage: string;
  split: number;
}

export interface StageRef extends JobRef {
  stage: string;
}

export interface BatchRef extends JobRef {
  /** Index of the stage in the run's plan. */
  stage: number;
}

/**
 * The part of a stage that one workflow execution works through. What is optional came later than
 * histories that are still replayed: there it is missing, and nothing is done about it.
 */
export interface SplitBatch {
  stage: string;
  splits: number[];
  /** How many may be under way at once. */
  window: number;
  /** The stage has splits beyond these: continue as new after them. */
  more: boolean;
  /** No stage comes after this one. */
  last: boolean;
  /** In words, for the Web UI. */
  summary: string;
  /** The splits are not known yet: `openStage` says them. */
  unopened?: boolean;
  /** The stage reads one state of its source, which has to be held while it does. */
  hold?: boolean;
  /** With the last stage: which ones to publish once all of them are done. */
  publish?: string[];
  /** With the last stage: stages have handed rows to each other, and that can go now. */
  staged?: boolean;
}

export interface FinishInput extends JobRef {
  status: TerminalStatus;
  failure: Failure | null;
}

/** The workflow of each type of job. */
export const jobWorkflows: Readonly<Record<JobType, string>> = {
  pipeline_run: 'runPipeline',
  run_undo: 'undoRun',
};

export const retentionWorkflow = 'retention';

export const liveWorkflow = 'liveCall';

/** How long whoever asked has to wait at the most. */
export const liveSeconds = 30;

export interface LiveInput {
  call: LiveCallName;
  /** The sealed question; the answer comes under the same id. */
  id: string;
}

export const searchAttributes = ['WorkspaceId', 'JobType', 'PipelineId', 'ConnectionId'] as const;
