import { parseDataType } from '../../core/dataTypes.js';
import type { DataType } from '../../core/dataTypes.js';
import { RunFailure } from '../../core/failures.js';
import { inlineField } from '../../core/generate/inlineField.js';
import type { SourceInlineConfig } from '../../core/nodes/sourceInline.js';
import type { BulkRead, Column, ConnectorModule, Source } from '../connector.js';

const refused = (message: string): RunFailure =>
  new RunFailure({ code: 'config_invalid', class: 'config', message });

const typeOf = (word: string): DataType => {
  const type = parseDataType(word);
  if (!type) throw refused(`Unknown type ${word}.`);
  return type;
};

const columnsOf = ({ columns }: SourceInlineConfig): Column[] =>
  columns.map(({ name, type }) => ({ name, type: typeOf(type), nullable: true }));

const lineOf = (row: readonly unknown[], columns: readonly Column[], number: number): string => {
  const fields = columns.map(({ name, type }, index) => {
    const field = inlineField(type, row[index] ?? null);
    if (field === undefined) throw refused(`Row ${number}, column ${name}: not a ${type.kind}.`);
    return field;
  });
  return `${fields.join(',')}\n`;
};

const chunkLength = 64 * 1024;

interface Part {
  text: string;
  rows: number;
}

/** The rows as csv, in parts of about 64 KiB, or of one row that is longer. */
function* partsOf({ rows }: SourceInlineConfig, columns: readonly Column[]): Generator<Part> {
  let part: Part = { text: '', rows: 0 };
  for (const [index, row] of rows.entries()) {
    part.text += lineOf(row, columns, index + 1);
    part.rows += 1;
    if (part.text.length < chunkLength) continue;
    yield part;
    part = { text: '', rows: 0 };
  }
  if (part.rows > 0) yield part;
}

const source: Source<SourceInlineConfig> = {
  formats: ['csv'],

  facts: async ({ config }) => ({
    columns: columnsOf(config),
    rows: config.rows.length,
    consistencies: ['single'],
  }),

  // What fits into a pipeline's definition is one split.
  splits: async () => ({ ranges: [{}] }),

  readBulk: ({ config }, _range, _options, { signal }): BulkRead => {
    const columns = columnsOf(config);
    const counts = { rows: 0, bytes: 0 };
    async function* chunks(): AsyncGenerator<Buffer> {
      signal.throwIfAborted();
      for (const { text, rows } of partsOf(config, columns)) {
        const chunk = Buffer.from(text);
        counts.rows += rows;
        counts.bytes += chunk.length;
        yield chunk;
        signal.throwIfAborted();
      }
    }
    return {
      format: 'csv',
      columns,
      chunks: chunks(),
      counts: () => ({ ...counts }),
      rejected: () => [],
    };
  },
};

export const connector: ConnectorModule = {
  open: () => ({ source, close: async () => undefined }),
};
