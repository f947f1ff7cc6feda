import type { BulkRead, CallContext, Source, SplitRange } from '../../connectors/connector.js';
import { openConnector } from '../../connectors/registry.js';

const net = {
  connect: () => Promise.reject(new Error('this source needs no network')),
};

export const context = (signal = new AbortController().signal): CallContext => ({
  signal,
  log: { info: () => undefined, warn: () => undefined },
});

export const openSource = async (id: string): Promise<Source> => {
  const { source } = await openConnector(id, {}, { net });
  if (!source) throw new Error(`${id} is no source`);
  return source;
};

export const readAll = async (read: BulkRead): Promise<{ text: string; chunks: number }> => {
  const chunks: Buffer[] = [];
  for await (const chunk of read.chunks) chunks.push(chunk);
  return { text: Buffer.concat(chunks).toString(), chunks: chunks.length };
};

/** Every split of a source, one after the other. */
export const readSplits = async (source: Source, config: unknown): Promise<string[]> => {
  const splits = await source.splits(config, 64 * 1024 * 1024, context());
  const texts: string[] = [];
  for (const split of splits) {
    texts.push((await readAll(source.readBulk(config, split, context()))).text);
  }
  return texts;
};

export const rows = (from: number, to: number): SplitRange => ({ kind: 'rows', from, to });
