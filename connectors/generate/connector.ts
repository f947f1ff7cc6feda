import { setImmediate } from 'node:timers/promises';
import { columnOf } from '../../core/generate/columnType.js';
import { generateCsv } from '../../core/generate/rows.js';
import type { SourceGenerateConfig } from '../../core/nodes/sourceGenerate.js';
import { splitRows } from '../../core/splitRows.js';
import type { BulkRead, ConnectorModule, Source } from '../connector.js';

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

const source: Source<SourceGenerateConfig> = {
  columns: async ({ columns }) => columns.map(columnOf),

  splits: async (config, targetBytes) =>
    splitRows(config.rows, bytesPerRow(config), targetBytes).map((range) => ({
      kind: 'rows',
      ...range,
    })),

  readBulk: ({ columns, seed = 1 }, { from, to }, { signal }): BulkRead => {
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
    };
  },
};

export const connector: ConnectorModule = {
  open: () => ({ source, close: async () => undefined }),
};
