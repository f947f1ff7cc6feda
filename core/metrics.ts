/** What one split did, in absolute numbers; sums of them are what a stage and a run did. */
export interface SplitCounts {
  /** At a source, as it sent them; 0 elsewhere. */
  rowsRead: number;
  bytesRead: number;
  /** Into the stage, from a source or a dataset. */
  rowsIn: number;
  /** Null where the source itself filtered. */
  rowsFiltered: number | null;
  /** Out of the transforms, towards a destination or into a dataset. */
  rowsOut: number;
  /** Taken by a destination; 0 elsewhere. */
  rowsWritten: number;
  bytesWritten: number;
  /** Made superfluous by another row of the same key. */
  rowsCoalesced: number;
  /** Dead-lettered. */
  rowsFailed: number;
  /** Through the staging store. */
  bytesStaged: number;
}

export const noCounts: SplitCounts = {
  rowsRead: 0,
  bytesRead: 0,
  rowsIn: 0,
  rowsFiltered: 0,
  rowsOut: 0,
  rowsWritten: 0,
  bytesWritten: 0,
  rowsCoalesced: 0,
  rowsFailed: 0,
  bytesStaged: 0,
};

export interface RunMetrics {
  rowsRead: number;
  rowsWritten: number;
  rowsFiltered: number | null;
  rowsFailed: number;
  bytesRead: number;
  bytesWritten: number;
  bytesShuffled: number;
}

export const sumSplits = (parts: readonly SplitCounts[]): RunMetrics => ({
  rowsRead: sum(parts, 'rowsRead'),
  rowsWritten: sum(parts, 'rowsWritten'),
  rowsFiltered: parts.some(({ rowsFiltered }) => rowsFiltered === null)
    ? null
    : sum(parts, 'rowsFiltered'),
  rowsFailed: sum(parts, 'rowsFailed'),
  bytesRead: sum(parts, 'bytesRead'),
  bytesWritten: sum(parts, 'bytesWritten'),
  bytesShuffled: sum(parts, 'bytesStaged'),
});

const sum = (parts: readonly SplitCounts[], key: keyof SplitCounts): number =>
  parts.reduce((total, part) => total + (part[key] ?? 0), 0);
