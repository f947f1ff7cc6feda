import type { BulkRead, SpooledRows } from '../../connectors/connector.js';
import { spooledRows } from '../csv/rowOffsets.js';
import { writeFileFrom } from '../files/localFiles.js';

/** Puts a split's rows aside, so that they stay what they are while they are tried. */
export const spool = async (
  read: BulkRead,
  path: string,
  signal: AbortSignal,
): Promise<SpooledRows> => {
  await writeFileFrom(read.chunks, path, signal);
  return spooledRows(path, read.columns, signal);
};

/** The rows of a spool but for some of them. */
export const without = (rows: SpooledRows, bad: readonly number[]): BulkRead => {
  const skipped = [...bad].sort((a, b) => a - b);
  let bytes = 0;
  async function* chunks(): AsyncGenerator<Buffer> {
    let from = 0;
    for (const end of [...skipped, rows.count]) {
      if (end > from) {
        for await (const chunk of rows.read(from, end)) {
          bytes += chunk.length;
          yield chunk;
        }
      }
      from = end + 1;
    }
  }
  return {
    format: 'csv',
    columns: rows.columns,
    chunks: chunks(),
    counts: () => ({ rows: rows.count - skipped.length, bytes }),
    rejected: () => [],
  };
};

/** A value in a dead letter is there to be looked at and loaded again; not to be a second staging. */
const mostPayloadBytes = 1024 * 1024;

/** Fields of one row in the bulk csv; null is NULL. */
const fieldsOf = (line: string): (string | null)[] => {
  const fields: (string | null)[] = [];
  const field = /("(?:[^"]|"")*"|[^,\n"]*)(,|\r?\n|$)/gy;
  for (let match = field.exec(line); match; match = field.exec(line)) {
    const [, text = '', end = ''] = match;
    const quoted = text.startsWith('"');
    fields.push(quoted ? text.slice(1, -1).replaceAll('""', '"') : text === '' ? null : text);
    if (end !== ',') break;
  }
  return fields;
};

/** What a row holds, by column, as JSON; null where it is too much to keep. */
export const payloadOf = async (rows: SpooledRows, row: number): Promise<string | null> => {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of rows.read(row, row + 1)) {
    bytes += chunk.length;
    if (bytes > mostPayloadBytes) return null;
    parts.push(chunk);
  }
  const fields = fieldsOf(Buffer.concat(parts).toString());
  const named = rows.columns.map(({ name }, at) => [name, fields[at] ?? null] as const);
  return JSON.stringify(Object.fromEntries(named));
};
