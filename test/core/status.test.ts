import {
  backfillWords,
  fromBackfillWord,
  fromGitWord,
  fromJobWord,
  gitWords,
  isTerminal,
  jobStatuses,
  jobTransitions,
  jobWords,
  priorities,
  priorityRank,
  terminalStatuses,
  toBackfillWord,
  toGitWord,
  toJobWord,
} from '../../core/status.js';

const stored = jobStatuses.flatMap((status) =>
  [false, true].map((cancelRequested) => ({ status, cancelRequested })),
);

describe('job words', () => {
  it.each(stored)(
    '$status (cancel requested: $cancelRequested) is found by its own word',
    (row) => {
      const word = toJobWord(row);
      const filter = fromJobWord(word);
      expect(filter.statuses).toContain(row.status);
      expect([undefined, row.cancelRequested]).toContain(filter.cancelRequested);
    },
  );

  it.each(jobWords)('%s selects only rows that are shown so', (word) => {
    const { statuses, cancelRequested } = fromJobWord(word);
    const selected = stored.filter(
      (row) =>
        statuses.includes(row.status) &&
        (cancelRequested === undefined || cancelRequested === row.cancelRequested),
    );
    expect(selected).not.toHaveLength(0);
    expect(new Set(selected.map(toJobWord))).toEqual(new Set([word]));
  });

  it('spells the end of a cancelled job with two l, and its wish as cancelling', () => {
    expect(toJobWord({ status: 'canceled', cancelRequested: true })).toBe('cancelled');
    expect(toJobWord({ status: 'queued', cancelRequested: true })).toBe('cancelling');
    expect(toJobWord({ status: 'running', cancelRequested: true })).toBe('cancelling');
    expect(toJobWord({ status: 'succeeded', cancelRequested: true })).toBe('succeeded');
  });
});

describe.each([
  { family: 'backfill', words: backfillWords, to: toBackfillWord, from: fromBackfillWord },
  { family: 'git', words: gitWords, to: toGitWord, from: fromGitWord },
] as {
  family: string;
  words: readonly string[];
  to: (status: (typeof jobStatuses)[number]) => string;
  from: (word: string) => readonly string[];
}[])('$family words', ({ words, to, from }) => {
  it.each(jobStatuses)('%s has one of the words, and is found by it', (status) => {
    expect(words).toContain(to(status));
    expect(from(to(status))).toContain(status);
  });

  it.each(words)('%s selects exactly the statuses that are shown so', (word) => {
    expect([...from(word)].sort()).toEqual(
      jobStatuses.filter((status) => to(status) === word).sort(),
    );
  });
});

it('says each family its own way', () => {
  expect(jobStatuses.map(toBackfillWord)).toEqual([
    'running',
    'running',
    'completed',
    'failed',
    'cancelled',
  ]);
  expect(jobStatuses.map(toGitWord)).toEqual([
    'running',
    'running',
    'succeeded',
    'failed',
    'cancelled',
  ]);
});

describe('the state machine', () => {
  it('ends in the terminal statuses and nowhere else', () => {
    const ends = jobStatuses.filter((status) => jobTransitions[status].length === 0);
    expect(ends).toEqual([...terminalStatuses]);
    expect(jobStatuses.filter(isTerminal)).toEqual([...terminalStatuses]);
  });

  it('never succeeds without having run', () => {
    const before = jobStatuses.filter((status) => jobTransitions[status].includes('succeeded'));
    expect(before).toEqual(['running']);
  });

  it('reaches every status from queued', () => {
    const reached = new Set<string>(['queued']);
    for (const status of reached) {
      for (const next of jobTransitions[status as 'queued']) reached.add(next);
    }
    expect([...reached].sort()).toEqual([...jobStatuses].sort());
  });
});

it('ranks priorities in the order in which they are listed', () => {
  const ranks = priorities.map((priority) => priorityRank[priority]);
  expect(ranks).toEqual([...new Set(ranks)].sort((a, b) => a - b));
});
