/** Records of a split that go out in one request. */
export interface Batch {
  /** The place of its first record in the split. */
  from: number;
  records: readonly Buffer[];
}

/** Larger requests are refused by most servers. */
const mostBytes = 4 * 1024 * 1024;

async function* recordsOf(lines: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  for await (const chunk of lines) {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(0x0a, start);
      held.push(chunk.subarray(start, end < 0 ? undefined : end));
      if (end < 0) break;
      yield held.length === 1 ? (held[0] ?? chunk) : Buffer.concat(held);
      held = [];
      start = end + 1;
    }
  }
}

/** The same lines always make the same batches. */
export async function* batchesOf(
  lines: AsyncIterable<Buffer>,
  size: number,
): AsyncGenerator<Batch> {
  let records: Buffer[] = [];
  let bytes = 0;
  let from = 0;
  const take = (): Batch => {
    const batch = { from, records };
    from += records.length;
    records = [];
    bytes = 0;
    return batch;
  };
  for await (const record of recordsOf(lines)) {
    if (records.length > 0 && bytes + record.length > mostBytes) yield take();
    records.push(record);
    bytes += record.length;
    if (records.length === size) yield take();
  }
  if (records.length > 0) yield take();
}

export const halvesOf = ({ from, records }: Batch): readonly [Batch, Batch] => {
  const half = Math.ceil(records.length / 2);
  return [
    { from, records: records.slice(0, half) },
    { from: from + half, records: records.slice(half) },
  ];
};
