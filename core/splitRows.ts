const defaultBytes = 64 * 1024 * 1024;

/** Each split is a row in our database; a larger source has larger splits, not more of them. */
const mostSplits = 100_000;

export interface Rows {
  from: number;
  to: number;
}

/** Ranges [from, to) of about `targetBytes`. No rows are one empty range: its table is still made. */
export const splitRows = (
  rows: number,
  bytesPerRow: number,
  targetBytes = defaultBytes,
  maxRows = Number.MAX_SAFE_INTEGER,
): Rows[] => {
  const wanted = Math.min(maxRows, Math.floor(targetBytes / Math.max(1, bytesPerRow)));
  const size = Math.max(1, wanted, Math.ceil(rows / mostSplits));
  const count = Math.max(1, Math.ceil(rows / size));
  return Array.from({ length: count }, (_, index) => ({
    from: index * size,
    to: Math.min(rows, (index + 1) * size),
  }));
};
