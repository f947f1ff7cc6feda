import type {
  BulkRead,
  CallContext,
  Column,
  Source,
  SplitRange,
} from '../../connectors/connector.js';
import { openConnector } from '../../connectors/registry.js';
import { localDirectories } from '../support/anywhere.js';

const net = {
  connect: () => Promise.reject(new Error('this source needs no network')),
};

const maxRowBytes = 64 * 1024 * 1024;

export const context = (signal = new AbortController().signal): CallContext => ({
  signal,
  log: { info: () => undefined, warn: () => undefined },
});

export const openSource = async (id: string): Promise<Source> => {
  const { source } = await openConnector(
    id,
    {},
    { net, role: 'source', maxRowBytes, localDirectories },
  );
  if (!source) throw new Error(`${id} is no source`);
  return source;
};

export const readAll = async (read: BulkRead): Promise<{ text: string; chunks: number }> => {
  const chunks: Buffer[] = [];
  for await (const chunk of read.chunks) chunks.push(chunk);
  return { text: Buffer.concat(chunks).toString(), chunks: chunks.length };
};

/** A split as the engine reads it. */
export const readOf = (
  source: Source,
  config: unknown,
  range: SplitRange,
  ctx = context(),
): BulkRead => source.readBulk({ config }, range, { format: 'csv' }, ctx);

export const splitsOf = async (
  source: Source,
  config: unknown,
  targetBytes = 64 * 1024 * 1024,
): Promise<readonly SplitRange[]> =>
  (await source.splits({ config }, { targetBytes, consistency: 'per_row' }, context())).ranges;

export const columnsOf = async (source: Source, config: unknown): Promise<readonly Column[]> =>
  (await source.facts({ config }, context())).columns;

/** Every split of a source, one after the other. */
export const readSplits = async (source: Source, config: unknown): Promise<string[]> => {
  const texts: string[] = [];
  for (const split of await splitsOf(source, config)) {
    texts.push((await readAll(readOf(source, config, split))).text);
  }
  return texts;
};

export const rows = (from: number, to: number): SplitRange => ({ from, to });
