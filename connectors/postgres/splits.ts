import type pg from 'pg';
import { RunFailure } from '../../core/failures.js';
import type { Column, SplitOptions } from '../connector.js';
import { describe } from './describe.js';
import { estimate, tableBytes } from './estimate.js';
import { keyBounds } from './keyBounds.js';
import { areUnmoved, relationOf } from './relation.js';
import type { Leaf, Relation } from './relation.js';
import { snapshotLost } from './reading.js';
import { isConditional, selectSql, tableNameOf } from './sourceQuery.js';
import { isTable } from '../tableNodes.js';
import type { KeyRange, PageRange, Selection } from './sourceQuery.js';

/** What a split holds, and as what: a read finds the same columns, or refuses to read. */
interface Shape {
  columns: readonly Column[];
  signature: string;
  /** Columns whose values csv has without the blanks at their end. */
  padded: readonly string[];
}

/** Everything, pages of some relations, or an interval of the key. */
type Part =
  { kind: 'all' } | { kind: 'pages'; pages: readonly PageRange[] } | ({ kind: 'keys' } & KeyRange);

export type PostgresRange = Shape & Part;

/**
 * Cuts relations into runs of pages of about the same size; small relations share one. The last
 * run of a relation has no end: a page more than was counted does no harm.
 */
export const pageRanges = (leaves: readonly Leaf[], targetBytes: number): PageRange[][] => {
  const ranges: PageRange[][] = [];
  let open: PageRange[] = [];
  let openBytes = 0;
  const close = (): void => {
    if (open.length > 0) ranges.push(open);
    open = [];
    openBytes = 0;
  };
  for (const { schema, table, pages, bytes } of leaves) {
    if (pages === 0) continue;
    const count = Math.min(pages, Math.max(1, Math.round(bytes / targetBytes)));
    if (openBytes + bytes / count > targetBytes) close();
    for (let index = 0; index < count; index += 1) {
      const from = Math.floor((index * pages) / count);
      const last = index === count - 1;
      open.push({
        schema,
        table,
        from,
        ...(last ? {} : { to: Math.floor(((index + 1) * pages) / count) }),
      });
      openBytes += bytes / count;
      if (!last) close();
    }
  }
  close();
  return ranges;
};

/** Half-open, the first and the last without an end: together they hold every row once. */
export const keyRanges = (
  key: readonly string[],
  bounds: readonly (readonly string[])[],
): KeyRange[] =>
  [...bounds, undefined].map((to, index) => {
    const from = index === 0 ? undefined : bounds[index - 1];
    return { key, ...(from ? { from } : {}), ...(to ? { to } : {}) };
  });

const noKey = (): RunFailure =>
  new RunFailure({
    code: 'config_invalid',
    class: 'config',
    message:
      'The source cannot be read per_row: it has no primary key and no unique index over columns that are never null. Choose the consistency snapshot.',
  });

const fitsOneSplit = async (
  client: pg.Client,
  selection: Selection,
  relation: Relation,
  targetBytes: number,
  defaultSchema: string,
): Promise<boolean> => {
  if (tableBytes(relation) <= targetBytes) return true;
  // The planner then finds the few rows by the best way there is, which no range would.
  if (!isConditional(selection) || !relation.counted) return false;
  return (await estimate(client, selection, relation, defaultSchema)).bytes <= targetBytes;
};

const partsOf = async (
  client: pg.Client,
  selection: Selection,
  relation: Relation,
  options: SplitOptions,
  defaultSchema: string,
): Promise<Part[]> => {
  const { consistency, targetBytes } = options;
  const all: Part[] = [{ kind: 'all' }];
  if (consistency === 'single') return all;
  if (consistency === 'per_row' && !relation.key) throw noKey();
  if (await fitsOneSplit(client, selection, relation, targetBytes, defaultSchema)) return all;
  if (consistency === 'snapshot' && relation.byPages) {
    return pageRanges(relation.leaves, targetBytes).map((pages) => ({ kind: 'pages', pages }));
  }
  if (!relation.key) return all;
  const bounds = await keyBounds(client, selection, relation, targetBytes, defaultSchema);
  return keyRanges(relation.key, bounds).map((range) => ({ kind: 'keys', ...range }));
};

/** Within the transaction that sees what the splits are to see. */
export const planSplits = async (
  client: pg.Client,
  selection: Selection,
  options: SplitOptions,
  defaultSchema: string,
): Promise<PostgresRange[]> => {
  const { config } = selection;
  const name = isTable(config) ? tableNameOf(config, defaultSchema) : undefined;
  const relation = name ? await relationOf(client, name) : undefined;
  const shape: Shape = await describe(
    client,
    selectSql(selection, {}, defaultSchema),
    notNullIn(relation),
  );
  if (name && options.snapshot !== undefined && !(await areUnmoved(client, [name]))) {
    throw snapshotLost();
  }
  const parts: Part[] = relation
    ? await partsOf(client, selection, relation, options, defaultSchema)
    : [{ kind: 'all' }];
  return parts.map((part): PostgresRange => ({ ...shape, ...part }));
};

export const notNullIn =
  (relation: Relation | undefined) =>
  (table: number, column: number): boolean =>
    relation?.oid === table && relation.notNull.has(column);
