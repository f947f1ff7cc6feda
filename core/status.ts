/**
 * One stored status, many words (design §4). The stored word of a job is the only state machine;
 * every family of routes shows and filters by its own words, and this file is the only translator.
 */
export const jobStatuses = ['queued', 'running', 'succeeded', 'failed', 'canceled'] as const;
export type JobStatus = (typeof jobStatuses)[number];

export const terminalStatuses = ['succeeded', 'failed', 'canceled'] as const;
export type TerminalStatus = (typeof terminalStatuses)[number];

export const isTerminal = (status: JobStatus): status is TerminalStatus =>
  (terminalStatuses as readonly JobStatus[]).includes(status);

/** What may follow what; the compare-and-set statements in db/repos enforce exactly this. */
export const jobTransitions: Readonly<Record<JobStatus, readonly JobStatus[]>> = {
  queued: ['running', 'canceled', 'failed'],
  running: ['succeeded', 'failed', 'canceled'],
  succeeded: [],
  failed: [],
  canceled: [],
};

interface Stored {
  status: JobStatus;
  cancelRequested: boolean;
}

export const jobWords = [
  'queued',
  'running',
  'succeeded',
  'failed',
  'cancelled',
  'cancelling',
] as const;
export type JobWord = (typeof jobWords)[number];

/** The orchestration family's word. */
export const toJobWord = ({ status, cancelRequested }: Stored): JobWord => {
  if (status === 'canceled') return 'cancelled';
  return cancelRequested && !isTerminal(status) ? 'cancelling' : status;
};

/** What a filter by an orchestration word selects among stored rows. */
export const fromJobWord = (
  word: JobWord,
): { statuses: readonly JobStatus[]; cancelRequested?: boolean } => {
  switch (word) {
    case 'cancelled':
      return { statuses: ['canceled'] };
    case 'cancelling':
      return { statuses: ['queued', 'running'], cancelRequested: true };
    case 'queued':
    case 'running':
      return { statuses: [word], cancelRequested: false };
    case 'succeeded':
    case 'failed':
      return { statuses: [word] };
  }
};

export const backfillWords = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const;
export type BackfillWord = (typeof backfillWords)[number];

/** A backfill is born running: one that waits for its first shard already works for its user. */
export const toBackfillWord = (status: JobStatus): BackfillWord => {
  switch (status) {
    case 'queued':
    case 'running':
      return 'running';
    case 'succeeded':
      return 'completed';
    case 'failed':
      return 'failed';
    case 'canceled':
      return 'cancelled';
  }
};

export const fromBackfillWord = (word: BackfillWord): readonly JobStatus[] => {
  switch (word) {
    case 'queued':
      return [];
    case 'running':
      return ['queued', 'running'];
    case 'completed':
      return ['succeeded'];
    case 'failed':
      return ['failed'];
    case 'cancelled':
      return ['canceled'];
  }
};

export const gitWords = ['running', 'succeeded', 'failed', 'cancelled'] as const;
export type GitWord = (typeof gitWords)[number];

export const toGitWord = (status: JobStatus): GitWord => {
  if (status === 'queued') return 'running';
  return status === 'canceled' ? 'cancelled' : status;
};

export const fromGitWord = (word: GitWord): readonly JobStatus[] => {
  if (word === 'running') return ['queued', 'running'];
  return [word === 'cancelled' ? 'canceled' : word];
};

export const priorities = ['low', 'normal', 'high'] as const;
export type Priority = (typeof priorities)[number];

/** Admission orders by this number, highest first. */
export const priorityRank: Readonly<Record<Priority, number>> = { low: 0, normal: 1, high: 2 };
