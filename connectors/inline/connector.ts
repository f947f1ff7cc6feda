import { parseDataType } from '../../core/dataTypes.js';
import type { DataType } from '../../core/dataTypes.js';
import { inlineField } from '../../core/generate/inlineField.js';
import type { SourceInlineConfig } from '../../core/nodes/sourceInline.js';
import { RunFailure } from '../../core/failures.js';
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

/** Rows per chunk: inline rows are few and small, but not to be joined into one text. */
const chunkRows = 1_000;

const source: Source<SourceInlineConfig> = {
  columns: async (config) => columnsOf(config),

  splits: async ({ rows }) => [{ kind: 'rows', from: 0, to: rows.length }],

  readBulk: (config, { from, to }, { signal }): BulkRead => {
    const columns = columnsOf(config);
    const counts = { rows: 0, bytes: 0 };
    async function* chunks(): AsyncGenerator<Buffer> {
      for (let start = from; start < to; start += chunkRows) {
        signal.throwIfAborted();
        const rows = config.rows.slice(start, Math.min(to, start + chunkRows));
        const text = rows.map((row, index) => lineOf(row, columns, start + index + 1)).join('');
        const chunk = Buffer.from(text);
        counts.rows += rows.length;
        counts.bytes += chunk.length;
        yield chunk;
      }
    }
    return { format: 'csv', columns, chunks: chunks(), counts: () => ({ ...counts }) };
  },
};

export const connector: ConnectorModule = {
  open: () => ({ source: source, close: async () => undefined }),
};
