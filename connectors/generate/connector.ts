import { columnOf } from '../../core/generate/makers.js';
import { generateCsv } from '../../core/generate/rows.js';
import type { SourceGenerateConfig } from '../../core/nodes/sourceGenerate.js';
import { splitRows } from '../../core/plan.js';
import type { BulkRead, ConnectorModule, Source } from '../connector.js';

/** Rows from which the size of all rows is guessed. */
const sampleRows = 1_000;

const bytesPerRow = ({ columns, seed = 1, rows }: SourceGenerateConfig): number => {
  const count = Math.min(rows, sampleRows);
  let bytes = 0;
  for (const { text } of generateCsv(columns, seed, 0, count)) bytes += Buffer.byteLength(text);
  return bytes / Math.max(1, count);
};

const source: Source<SourceGenerateConfig> = {
  columns: async ({ columns }) => columns.map(columnOf),

  splits: async (config) =>
    splitRows(config.rows, bytesPerRow(config)).map((range) => ({ kind: 'rows', ...range })),

  readBulk: ({ columns, seed = 1 }, { from, to }, { signal }): BulkRead => {
    const counts = { rows: 0, bytes: 0 };
    async function* chunks(): AsyncGenerator<Buffer> {
      for (const { text, rows } of generateCsv(columns, seed, from, to)) {
        signal.throwIfAborted();
        const chunk = Buffer.from(text);
        counts.rows += rows;
        counts.bytes += chunk.length;
        yield chunk;
      }
    }
    return {
      format: 'csv',
      columns: columns.map(columnOf),
      chunks: chunks(),
      counts: () => ({ ...counts }),
    };
  },
};

export const connector: ConnectorModule = {
  open: () => ({ source: source, close: async () => undefined }),
};
