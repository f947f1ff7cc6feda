/** Everything asynchronous that moves data or changes definitions is a job of one of these types. */
export const jobTypes = ['pipeline_run', 'run_undo'] as const;
export type JobType = (typeof jobTypes)[number];

/** Only leaf jobs take a capacity slot: one that waits for other jobs would deadlock holding one. */
export const slotTypes: readonly JobType[] = ['pipeline_run', 'run_undo'];

/** Jobs that execute a pipeline are also runs, under the same id. */
export const runTypes: readonly JobType[] = ['pipeline_run'];

export const runTriggers = ['manual'] as const;
export type RunTrigger = (typeof runTriggers)[number];

export const workflowIdOf = (job: { type: string; id: string }): string => `${job.type}-${job.id}`;

export const commands = ['cancel'] as const;
export type Command = (typeof commands)[number];
