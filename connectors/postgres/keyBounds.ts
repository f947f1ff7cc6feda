import type pg from 'pg';
import { estimate } from './estimate.js';
import { quoteName } from './quote.js';
import type { Relation } from './relation.js';
import { selectSql } from './sourceQuery.js';
import type { Selection } from './sourceQuery.js';

/** Pages to look at: enough for even splits, few enough to be read in seconds. */
const pagesPerSplit = 30;
const leastPages = 300;
const mostPages = 50_000;

const samplePercent = (relation: Relation, splits: number): number | undefined => {
  const pages = relation.leaves.reduce((sum, leaf) => sum + leaf.pages, 0);
  const sampled = Math.min(mostPages, Math.max(leastPages, splits * pagesPerSplit));
  return sampled >= pages ? undefined : (100 * sampled) / pages;
};

/**
 * Where to cut a table so that its parts have about as many rows each, however its key is spread:
 * quantiles of the keys of a sample, in the order of the key. Conditions apply to the sample, too:
 * the parts are those of the rows that are wanted.
 */
export const keyBounds = async (
  client: pg.Client,
  selection: Selection,
  relation: Relation,
  targetBytes: number,
  defaultSchema: string,
): Promise<string[][]> => {
  const { bytes } = await estimate(client, selection, relation, defaultSchema);
  const splits = Math.max(1, Math.round(bytes / targetBytes));
  const columns = relation.key ?? [];
  if (splits === 1 || columns.length === 0) return [];
  const percent = samplePercent(relation, splits);
  const key = columns.map(quoteName);
  const keysOnly: Selection = {
    config: selection.config,
    ...(selection.bounds ? { bounds: selection.bounds } : {}),
    ...(selection.pushed
      ? {
          pushed: {
            columns: columns.map((name) => ({ name, expression: quoteName(name) })),
            where: selection.pushed.where,
          },
        }
      : {}),
  };
  const sample = selectSql(
    keysOnly,
    { columns, ...(percent === undefined ? {} : { samplePercent: percent }) },
    defaultSchema,
  );
  const { rows } = await client.query<string[]>({
    // A row begins a part where its share of all rows passes the next of `splits` steps.
    text: `
      select ${key.map((name) => `${name}::text`).join(', ')}
        from (select ${key.join(', ')}, row_number() over (order by ${key.join(', ')}) as number,
                     count(*) over () as count
                from (${sample}) sampled) numbered
       where number > 1 and (number - 1) * $1::int8 / count > (number - 2) * $1::int8 / count
       order by number`,
    values: [splits],
    rowMode: 'array',
  });
  return rows;
};
