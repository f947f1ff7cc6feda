import { setImmediate } from 'node:timers/promises';
import { columnOf } from '../../core/generate/columnType.js';
import { generateCsv } from '../../core/generate/rows.js';
import type { SourceGenerateConfig } from '../../core/nodes/sourceGenerate.js';
import { splitRows } from '../../core/splitRows.js';
import type { BulkRead, ConnectorModule, Source, SplitRange } from '../connector.js';

/** From which the size of all rows is guessed: first and last ones, since numbers grow longer. */
const sampleRows = 500;
const sampleBytes = 4 * 1024 * 1024;

const bytesPerRow = ({ columns, seed = 1, rows }: SourceGenerateConfig): number => {
  const sample = { rows: 0, bytes: 0 };
  for (const from of [0, Math.max(0, rows - sampleRows)]) {
    const enough = sample.bytes + sampleBytes;
    for (const chunk of generateCsv(columns, seed, from, Math.min(rows, from + sampleRows))) {
      sample.rows += chunk.rows;
      sample.bytes += Buffer.byteLength(chunk.text);
      if (sample.bytes >= enough) break;
    }
  }
  return sample.bytes / Math.max(1, sample.rows);
};

interface RowRange extends SplitRange {
  from: number;
  to: number;
}

const source: Source<SourceGenerateConfig> = {
  formats: ['csv'],

  // The same rows whenever they are read: every split is as good as a snapshot.
  facts: async ({ config }) => ({
    columns: config.columns.map(columnOf),
    rows: config.rows,
    bytes: config.rows * bytesPerRow(config),
    consistencies: ['per_row', 'single'],
  }),

  splits: async ({ config }, { targetBytes }) => ({
    ranges: splitRows(config.rows, bytesPerRow(config), targetBytes).map((range): RowRange => ({
      ...range,
    })),
  }),

  readBulk: ({ config }, range, _options, { signal }): BulkRead => {
    const { columns, seed = 1 } = config;
    const { from, to } = range as RowRange;
    const counts = { rows: 0, bytes: 0 };
    async function* chunks(): AsyncGenerator<Buffer> {
      signal.throwIfAborted();
      for (const { text, rows } of generateCsv(columns, seed, from, to)) {
        const chunk = Buffer.from(text);
        counts.rows += rows;
        counts.bytes += chunk.length;
        yield chunk;
        // Nothing here waits for anything: without this turn a fast reader starves the heartbeat.
        await setImmediate();
        signal.throwIfAborted();
      }
    }
    return {
      format: 'csv',
      columns: columns.map(columnOf),
      chunks: chunks(),
      counts: () => ({ ...counts }),
      rejected: () => [],
    };
  },
};

export const connector: ConnectorModule = {
  open: () => ({ source, close: async () => undefined }),
};
