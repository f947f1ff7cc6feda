/**
 * What the product says to the outside. Events are written in the transaction of what they report
 * (db/repos/events) and fanned out later, so an event exists exactly if the change does.
 */
export const eventNames = [
  'job.queued',
  'job.started',
  'job.succeeded',
  'job.failed',
  'job.cancelled',
] as const;
export type EventName = (typeof eventNames)[number];

export interface EventPayloads {
  job: { jobId: string; type: string; pipelineId: string | null; status: string };
}
