import type { BulkFormat, Column } from '../connector.js';
import type { Places } from './evolve.js';
import type { Target } from './table.js';
import type { TableConfig } from '../tableNodes.js';

/**
 * Binary values are taken as they are, without a look at what they mean: only where every column
 * is of the very type that it has in the source.
 */
export const formatsFor = (
  { mode }: TableConfig,
  target: Target,
  { skipped }: Places,
  columns: readonly Column[],
): BulkFormat[] => {
  const isSame = columns.every(
    ({ name, native }) =>
      native?.system === 'postgres' &&
      native.portable &&
      native.type === target.columns.get(name)?.type,
  );
  // For a delete, columns that are no key have no type here at all.
  const isBinary = isSame && skipped.length === 0 && mode !== 'delete';
  return isBinary ? ['postgres-binary', 'csv'] : ['csv'];
};
