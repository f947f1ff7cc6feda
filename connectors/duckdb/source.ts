import type { OpenDeps, Source } from '../connector.js';
import { inDatabase } from './database.js';
import type { Database } from './database.js';
import type { DuckdbConfig } from './manifest.js';
import { quoteName } from './quote.js';
import { readRange } from './read.js';
import { averageBytes } from './relation.js';
import { selectSql, tableNameOf } from './sourceQuery.js';
import { isTable } from '../tableNodes.js';
import type { Names } from './sourceQuery.js';
import type { SourceConfig } from '../tableNodes.js';
import { describeSelection, planSplits } from './splits.js';
import type { DuckdbRange } from './splits.js';
import { toText } from './toText.js';

export const makeSource = (config: DuckdbConfig, deps: OpenDeps): Source<SourceConfig> => {
  const namesIn = ({ name }: Database): Names => ({
    catalog: name,
    schema: config.schema ?? 'main',
  });

  return {
    formats: ['csv'],

    facts: (request, ctx) =>
      inDatabase(config, deps, ctx, async (database) => {
        const names = namesIn(database);
        const { columns, relation } = await describeSelection(database, request, names);
        if (!isTable(request.config) || relation?.rows === undefined) {
          return { columns, consistencies: ['single'] };
        }
        const name = tableNameOf(request.config, names);
        const width = await averageBytes(database, name, relation.columns);
        return {
          columns,
          rows: relation.rows,
          bytes: Math.round(relation.rows * width),
          consistencies: relation.key ? ['per_row', 'single'] : ['single'],
        };
      }),

    splits: (request, options, ctx) =>
      inDatabase(config, deps, ctx, async (database) => {
        const ranges = await planSplits(database, request, options, namesIn(database));
        return { ranges: ranges.map((range) => ({ ...range })) };
      }),

    readBulk: (request, range, _options, ctx) =>
      // Ranges are kept as JSON, and come back as planSplits has made them.
      readRange(config, deps, request, range as unknown as DuckdbRange, ctx),

    highest: ({ config: source, bounds }, column, ctx) =>
      inDatabase(config, deps, ctx, async (database) => {
        const selection = { config: source, ...(bounds ? { bounds } : {}) };
        const sql = `SELECT max(${quoteName(column)}) AS highest FROM (\n${selectSql(selection, namesIn(database))}\n)`;
        const [described] = await database.run('read', [`DESCRIBE ${sql}`]);
        const type = String(described?.rows[0]?.[1]);
        const [answer] = await database.run('read', [
          `SELECT ${toText('highest', type)} FROM (${sql})`,
        ]);
        const highest = answer?.rows[0]?.[0];
        return typeof highest === 'string' ? highest : null;
      }),
  };
};
