/** A run's counters, as stored and as shown. */
export interface RunMetrics {
  rowsRead: number;
  rowsWritten: number;
  rowsFiltered: number | null;
  rowsFailed: number;
  bytesRead: number;
  bytesWritten: number;
  /** Bytes through the staging store. */
  bytesShuffled: number;
}

/** What splits add up to. Nothing filters or rejects rows yet, and nothing is staged. */
export const sumSplits = (
  parts: readonly {
    rowsRead: number;
    rowsWritten: number;
    bytesRead: number;
    bytesWritten: number;
  }[],
): RunMetrics => ({
  rowsRead: sum(parts, 'rowsRead'),
  rowsWritten: sum(parts, 'rowsWritten'),
  rowsFiltered: 0,
  rowsFailed: 0,
  bytesRead: sum(parts, 'bytesRead'),
  bytesWritten: sum(parts, 'bytesWritten'),
  bytesShuffled: 0,
});

const sum = <K extends string>(parts: readonly Record<K, number>[], key: K): number =>
  parts.reduce((total, part) => total + part[key], 0);
