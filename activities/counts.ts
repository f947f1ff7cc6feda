import type { Counts } from '../connectors/connector.js';
import type { SplitCounts } from '../db/repos/splits.js';

/** What was read and what was written, as a split's row holds them. */
export const splitCounts = (read: Counts, written: Counts): SplitCounts => ({
  rowsRead: read.rows,
  bytesRead: read.bytes,
  rowsWritten: written.rows,
  bytesWritten: written.bytes,
});
