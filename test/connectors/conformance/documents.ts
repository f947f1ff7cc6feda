/** Topics and APIs: records as lines of JSON, each once on the way in, at least once on the way out. */
import type { Column } from '../../../connectors/connector.js';
import type { DocumentDestination, DocumentSource } from '../../../connectors/documents.js';
import { newDelivery, splitOf } from '../postgres/destinationTesting.js';
import { context } from '../postgres/sourceTesting.js';
import type { Check, Trial } from './check.js';
import { required } from './check.js';

interface Sample {
  id: number;
  name: string | null;
}

const sample = (count: number): Sample[] =>
  Array.from({ length: count }, (_, index) => ({
    id: index + 1,
    name: index === 3 ? null : `it's "${index}"\n ü 表 🎉`,
  }));

const linesOf = async (chunks: AsyncIterable<Buffer>): Promise<Record<string, unknown>[]> => {
  const parts: Buffer[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  const text = Buffer.concat(parts).toString();
  if (text !== '') expect(text.endsWith('\n')).toBe(true);
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
};

const sorted = (records: readonly unknown[]): string[] =>
  records.map((record) => JSON.stringify(record)).sort();

const reading = async (trial: Trial) => {
  const side = required(trial.system.documents?.source, 'source of documents');
  const open = async (): Promise<DocumentSource> =>
    required((await trial.open()).documents?.source, 'source of documents of the connector');
  const source = await open();
  return { ...side, open, source, request: { config: side.config } };
};

const sending = async (trial: Trial) => {
  const side = required(trial.system.documents?.destination, 'destination of documents');
  const connector = await trial.open({ role: 'destination' });
  const destination: DocumentDestination = required(
    connector.documents?.destination,
    'destination of documents of the connector',
  );
  return { ...side, destination };
};

const columns: readonly Column[] = [
  { name: 'id', type: { kind: 'integer' }, nullable: false },
  { name: 'name', type: { kind: 'text' }, nullable: true },
];

async function* chunksOf(records: readonly object[]): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  for (let at = 0; at < bytes.length; at += 1000) yield bytes.subarray(at, at + 1000);
}

const noProgress = (): void => undefined;
const sources = ['source.http', 'source.topic'] as const;
const destinations = ['destination.http', 'destination.topic'] as const;

export const documentChecks: readonly Check[] = [
  {
    name: 'every record is read once, and each split again alone',
    part: 'documents',
    capabilities: sources,
    run: async (trial) => {
      const { source, open, request, fill, record } = await reading(trial);
      await fill(sample(500));
      const { ranges } = await source.splits(request, { targetBytes: 5_000 }, context());
      const kept = JSON.parse(JSON.stringify(ranges)) as typeof ranges;
      const parts = [];
      for (const range of kept) parts.push(await linesOf(source.read(request, range, context())));
      expect(sorted(parts.flat().map(record))).toEqual(sorted(sample(500)));
      const other = await open();
      for (const [index, range] of [...kept.entries()].reverse()) {
        const again = await linesOf(other.read(request, range, context()));
        expect(again.map(record)).toEqual((parts[index] ?? []).map(record));
      }
    },
  },
  {
    name: 'a sample is a few of the records',
    part: 'documents',
    capabilities: sources,
    run: async (trial) => {
      const { source, request, fill, record } = await reading(trial);
      await fill(sample(500));
      const found = (await linesOf(source.sample(request, 20, context()))).map(record);
      expect(found.length).toBeGreaterThanOrEqual(20);
      expect(sorted(sample(500))).toEqual(expect.arrayContaining(sorted(found)));
    },
  },
  {
    name: 'a read of documents ends when it is told to',
    part: 'documents',
    capabilities: sources,
    run: async (trial) => {
      const { source, request, fill } = await reading(trial);
      await fill(sample(100));
      const stop = new AbortController();
      const { ranges } = await source.splits(request, { targetBytes: 1e6 }, context());
      stop.abort(new Error('enough'));
      const read = linesOf(source.read(request, ranges[0] ?? {}, context(stop.signal)));
      await expect(read).rejects.toThrow('enough');
    },
  },
  {
    name: 'records arrive, and sent again they can be told from new ones',
    part: 'documents',
    capabilities: destinations,
    run: async (trial) => {
      const { destination, config, arrived } = await sending(trial);
      const delivery = newDelivery();
      await destination.prepare(config, columns, delivery, context());
      const send = () =>
        destination.write(
          config,
          splitOf(delivery, 0),
          chunksOf(sample(250)),
          noProgress,
          context(),
        );
      await arrived();
      expect(await send()).toMatchObject({ counts: { rows: 250 }, rejected: [] });
      const first = await arrived();
      expect(sorted(first.map(({ record }) => record))).toEqual(sorted(sample(250)));
      await send();
      const again = await arrived();
      // Either the system left them out, or they came under the same keys.
      const known = new Set(first.map(({ key }) => key));
      expect(again.filter(({ key }) => !known.has(key))).toEqual([]);
    },
  },
  {
    name: 'sending ends when it is told to',
    part: 'documents',
    capabilities: destinations,
    run: async (trial) => {
      const { destination, config } = await sending(trial);
      const delivery = newDelivery();
      await destination.prepare(config, columns, delivery, context());
      const stop = new AbortController();
      async function* endless(): AsyncGenerator<Buffer> {
        for (let id = 0; ; id += 1) {
          yield Buffer.from(`${JSON.stringify({ id, name: 'x' })}\n`);
          if (id === 20) stop.abort(new Error('enough'));
          await new Promise(setImmediate);
        }
      }
      const marker = splitOf(delivery, 0);
      const work = destination.write(config, marker, endless(), noProgress, context(stop.signal));
      await expect(work).rejects.toThrow('enough');
    },
  },
];
