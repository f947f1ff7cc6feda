import { quote, valueAt } from '../../core/jsonText.js';
import type { Marker } from '../connector.js';
import type { Outgoing } from './encode.js';

async function* linesIn(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer[]> {
  let held: Buffer[] = [];
  for await (const chunk of chunks) {
    const lines: Buffer[] = [];
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(0x0a, start);
      held.push(chunk.subarray(start, end < 0 ? undefined : end));
      if (end < 0) break;
      lines.push(held.length === 1 ? (held[0] ?? chunk) : Buffer.concat(held));
      held = [];
      start = end + 1;
    }
    yield lines;
  }
}

/** The text of a column, or what else it is as JSON says it; none for a null. */
const keyIn = (line: Buffer, column: string): Buffer | null => {
  const span = valueAt(line, 0, [column]);
  if (!span) return null;
  const bytes = line.subarray(span.from, span.to);
  if (bytes[0] === quote) return Buffer.from(String(JSON.parse(bytes.toString())));
  return bytes.toString() === 'null' ? null : bytes;
};

export interface Numbered extends Outgoing {
  /** Its place in the split. */
  row: number;
}

/**
 * The messages that the rows of a split become, some at a time. Each has an identity that is the same
 * whenever the split is sent again.
 */
export async function* outgoingOf(
  chunks: AsyncIterable<Buffer>,
  { rootJobId, stage, split }: Marker,
  key: string | undefined,
): AsyncGenerator<Numbered[]> {
  let row = 0;
  for await (const lines of linesIn(chunks)) {
    yield lines.map((value) => {
      const place = row++;
      const id = Buffer.from(`${rootJobId}/${stage}/${split}/${place}`);
      return { row: place, key: key === undefined ? null : keyIn(value, key), value, id };
    });
  }
}
