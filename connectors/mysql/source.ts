import type { OpenDeps, Source, SourceFacts } from '../connector.js';
import { describe, nativeTypesOf } from './describe.js';
import type { MysqlConfig } from './manifest.js';
import { quoteName } from './quote.js';
import { beginReading, readRange } from './read.js';
import { relationOf } from './relation.js';
import type { Session } from './session.js';
import { selectSql, tableNameOf } from './sourceQuery.js';
import { isTable } from '../tableNodes.js';
import type { Selection } from './sourceQuery.js';
import type { SourceConfig } from '../tableNodes.js';
import { estimate, planSplits } from './splits.js';
import type { MysqlRange } from './splits.js';
import { inSession } from './transaction.js';

export const makeSource = (config: MysqlConfig, deps: OpenDeps): Source<SourceConfig> => {
  const { database } = config;

  const factsOf = async (session: Session, selection: Selection): Promise<SourceFacts> => {
    const source = selection.config;
    const sql = selectSql(selection, database);
    if (!isTable(source)) {
      const { columns } = await describe(session, sql);
      return { columns, consistencies: ['single'] };
    }
    const name = tableNameOf(source, database);
    const relation = await relationOf(session, name);
    const { columns } = await describe(session, sql, await nativeTypesOf(session, name));
    return {
      columns,
      ...(await estimate(session, selection, relation, database)),
      consistencies: relation.key ? ['per_row', 'single'] : ['single'],
    };
  };

  return {
    formats: ['csv'],
    facts: (request, ctx) => inSession(config, deps, ctx, (session) => factsOf(session, request)),

    splits: (request, options, ctx) =>
      inSession(config, deps, ctx, async (session) => {
        const ranges = await planSplits(session, request, options, database);
        return { ranges: ranges.map((range) => ({ ...range })) };
      }),

    readBulk: (request, range, _options, ctx) =>
      // Ranges are kept as JSON, and come back as planSplits has made them.
      readRange(config, deps, request, range as unknown as MysqlRange, ctx),

    highest: ({ config: source, bounds }, column, ctx) =>
      inSession(config, deps, ctx, async (session) => {
        await beginReading(session);
        const name = quoteName(column);
        const rows = selectSql({ config: source, ...(bounds ? { bounds } : {}) }, database);
        const [row] = await session.rows(
          `select max(${name}) as highest from (\n${rows}\n) as fluxline_rows`,
        );
        return row?.['highest'] ?? null;
      }),
  };
};
