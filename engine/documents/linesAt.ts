import type { Found } from '../rescue/deadLetters.js';
import type { BadRow, Column } from '../../connectors/connector.js';
import { exactLine, formsOf } from './exactLines.js';

/** A value in a dead letter is there to be looked at and loaded again; not to be a second staging. */
const mostPayloadBytes = 1024 * 1024;

/** What the records at fault hold, by column, out of the lines that were sent. */
export const withPayload = async (
  bad: readonly BadRow[],
  lines: AsyncIterable<Buffer>,
  columns: readonly Column[],
): Promise<Found[]> => {
  if (bad.length === 0) return [];
  const wanted = new Map<number, Buffer[]>(bad.map(({ row }) => [row, []]));
  let row = 0;
  for await (const chunk of lines) {
    for (let start = 0; start < chunk.length;) {
      const end = chunk.indexOf(0x0a, start);
      wanted.get(row)?.push(chunk.subarray(start, end < 0 ? undefined : end));
      if (end < 0) break;
      row += 1;
      start = end + 1;
    }
  }
  const forms = formsOf(columns.map(({ name, type }) => ({ name, type, nullable: true })));
  return bad.map((one) => {
    const line = Buffer.concat(wanted.get(one.row) ?? []);
    const known = line.length > 0 && line.length <= mostPayloadBytes;
    return { ...one, payload: known ? exactLine(line, forms).toString() : null };
  });
};
