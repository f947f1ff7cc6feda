import type pg from 'pg';
import type {
  BulkFormat,
  CallContext,
  Consistency,
  OpenDeps,
  Source,
  SourceFacts,
} from '../connector.js';
import { describe } from './describe.js';
import { estimate } from './estimate.js';
import type { PostgresConfig } from './manifest.js';
import { quoteName } from './quote.js';
import { beginLooking, joinSnapshot } from './reading.js';
import { readRange } from './read.js';
import { relationOf } from './relation.js';
import type { Relation } from './relation.js';
import { holdSnapshot } from './snapshot.js';
import { selectSql, tableNameOf } from './sourceQuery.js';
import { isTable } from '../tableNodes.js';
import type { Selection } from './sourceQuery.js';
import type { SourceConfig } from '../tableNodes.js';
import { notNullIn, planSplits } from './splits.js';
import type { PostgresRange } from './splits.js';
import { inTransaction } from './transaction.js';

const formats: readonly BulkFormat[] = ['postgres-binary', 'csv'];

/** Looking a table up takes a moment; sampling or sorting one may take a while. */
const lookSeconds = 60;
const searchSeconds = 1_800;

const consistenciesOf = (relation: Relation | undefined): Consistency[] => [
  ...(relation && (relation.byPages || relation.key) ? ['snapshot' as const] : []),
  ...(relation?.key ? ['per_row' as const] : []),
  'single',
];

const encodingOf = async (client: pg.Client): Promise<string | undefined> => {
  const { rows } = await client.query<{ encoding: string }>(
    'select getdatabaseencoding() as encoding',
  );
  return rows[0]?.encoding;
};

export const makeSource = (config: PostgresConfig, deps: OpenDeps): Source<SourceConfig> => {
  const defaultSchema = config.schema ?? 'public';

  const look = <T>(
    ctx: CallContext,
    seconds: number,
    work: (client: pg.Client) => Promise<T>,
  ): Promise<T> => inTransaction(config, deps, ctx, work, beginLooking(seconds));

  const factsOf = async (client: pg.Client, selection: Selection): Promise<SourceFacts> => {
    const source = selection.config;
    const relation = isTable(source)
      ? await relationOf(client, tableNameOf(source, defaultSchema))
      : undefined;
    const sql = selectSql(selection, {}, defaultSchema);
    const { columns } = await describe(client, sql, notNullIn(relation));
    const sizes = await estimate(client, selection, relation, defaultSchema);
    return {
      columns,
      ...sizes,
      // Expressions order text by its bytes, and those are UTF-8's.
      ...((await encodingOf(client)) === 'UTF8' ? { dialect: 'postgres' } : {}),
      consistencies: consistenciesOf(relation),
    };
  };

  return {
    formats,
    facts: (request, ctx) => look(ctx, lookSeconds, (client) => factsOf(client, request)),

    splits: (request, options, ctx) =>
      look(ctx, searchSeconds, async (client) => {
        if (options.snapshot !== undefined) await joinSnapshot(client, options.snapshot);
        const ranges = await planSplits(client, request, options, defaultSchema);
        return { ranges: ranges.map((range) => ({ ...range })) };
      }),

    readBulk: (request, range, options, ctx) =>
      // Ranges are kept as JSON, and come back as planSplits has made them.
      readRange(config, deps, request, range as unknown as PostgresRange, options, ctx),

    highest: ({ config: source, bounds }, column, ctx) =>
      look(ctx, searchSeconds, async (client) => {
        const name = quoteName(column);
        const rows = selectSql(
          { config: source, ...(bounds ? { bounds } : {}) },
          { columns: [column] },
          defaultSchema,
        );
        // Unlike max() there for every type that has an order, and as good at using an index.
        const found = await client.query<{ highest: string }>(
          `select ${name}::text as highest from (${rows}) as fluxline_rows
            where ${name} is not null order by ${name} desc limit 1`,
        );
        return found.rows[0]?.highest ?? null;
      }),

    holdSnapshot: (ctx) => holdSnapshot(config, deps, ctx),
  };
};
