import type { CallContext } from '../../../connectors/connector.js';
import { openConnector } from '../../../connectors/registry.js';
import type { SplitCounts } from '../../../core/metrics.js';
import type { FlowStage, Step } from '../../../core/plan/stage.js';
import type { OpenEnds } from '../../../engine/ends.js';
import { makeFilesDestination } from '../../../engine/files/destination.js';
import { prepareStage } from '../../../engine/prepare.js';
import type { DeadLetter } from '../../../engine/rescue/deadLetters.js';
import { runSplit } from '../../../engine/runSplit.js';
import { openStaging } from '../../../engine/staging/staging.js';
import { net } from '../../connectors/postgres/sourceTesting.js';
import { localDirectories } from '../../support/anywhere.js';
import { makeFilesFixture } from './filesFixture.js';
import type { FilesFixture } from './filesFixture.js';

let files: FilesFixture;

beforeAll(async () => {
  files = await makeFilesFixture();
});

afterAll(() => files.close());

const connectionId = '0197f5f6-0000-7000-8000-000000000000';
const delivery = { rootJobId: '0197f5f6-0000-7000-8000-000000000001', stage: 's', generation: 0 };

interface Carried {
  counts: SplitCounts;
  letters: readonly DeadLetter[];
  /** What the log of the run says. */
  said: readonly string[];
  values: readonly unknown[];
}

/** A csv into Parquet, as a stage of a run does it. */
const carry = async (text: string, steps: readonly Step[] = []): Promise<Carried> => {
  await files.put('in.csv', text);
  const said: string[] = [];
  const log = { info: (line: string) => said.push(line), warn: (line: string) => said.push(line) };
  const ctx: CallContext = { signal: new AbortController().signal, log };
  const { store, duckdb, scratch, source } = files;
  const columns = [
    { name: 'id', type: 'integer' },
    { name: 'name', type: 'text' },
  ];
  const from = { connectionId, path: 'in.csv', options: { header: true, columns } };
  const to = { connectionId, path: 'out', format: 'parquet' as const };
  const stage: FlowStage = {
    kind: 'flow',
    id: 's',
    nodes: [],
    steps,
    input: {
      kind: 'source',
      nodeId: 'source',
      end: { nodeId: 'source', type: 'source.files', config: from },
    },
    output: {
      kind: 'destination',
      end: { nodeId: 'files', type: 'destination.files', config: to },
    },
  };
  const destination = makeFilesDestination({ store });
  const ends: OpenEnds = {
    sources: [{ nodeId: 'source', config: from, source }],
    destination: { kind: 'files', nodeId: 'files', config: to, destination },
  };
  const directory = (await scratch('plan')).path;
  const splitBytes = 4;
  const settings = { duckdb, now: '2026-01-01T00:00:00Z', directory, splitBytes };
  const work = { stage, ends, datasets: new Map(), bounds: undefined, delivery, maxErrors: 10 };
  const way = await prepareStage(work, settings, ctx);
  const cut = { targetBytes: splitBytes, consistency: 'per_row' as const, uncut: true };
  const { ranges } = await source.splits({ config: from }, cut, ctx);
  expect(ranges).toHaveLength(1);
  const letters: DeadLetter[] = [];
  const staging = await openStaging({
    url: files.root,
    maxBytes: 1024,
    openConnector: (id, config) =>
      openConnector(id, config, {
        net,
        role: 'destination',
        maxRowBytes: 1024,
        localDirectories,
      }),
  });
  const { counts } = await runSplit(
    {
      stage: { ...stage, way },
      ends,
      input: { ranges: { source: ranges[0] ?? {} }, snapshot: null, files: {} },
      marker: { ...delivery, split: 0 },
      attempt: 1,
      index: 0,
    },
    {
      duckdb,
      staging,
      scratch,
      maxRowBytes: 1024 * 1024,
      progress: () => undefined,
      noteLoss: () => Promise.resolve(),
      deadLetters: {
        allowance: () => Promise.resolve(10),
        save: (found) => {
          letters.push(...found);
          return Promise.resolve(10);
        },
      },
    },
    ctx,
  );
  await destination.publish(to, delivery, [{ split: 0, attempt: 1 }], ctx);
  const keys: string[] = [];
  for await (const { key } of store.list('out/', ctx)) {
    if (key.endsWith('.parquet')) keys.push(`${files.root}/${key}`);
  }
  const list = keys.map((key) => `'${key}'`).join(', ');
  const sql = `SELECT id, name FROM read_parquet([${list}]) ORDER BY id`;
  const program = { directory, reads: keys, statements: [{ sql }] };
  const [answer] = await duckdb.run(program, ctx.signal);
  await destination.undo(to, { ...delivery, generation: 1 }, ctx);
  return { counts, letters, said, values: (answer?.rows ?? []).map(([id]) => id) };
};

const lines = Array.from({ length: 100 }, (_, n) => `${n},"name, ""${n}"""`);
const without = (...taken: readonly number[]) =>
  lines.map((_, n) => n).filter((n) => !taken.includes(n));
const again = expect.stringContaining('read again, row by row') as string;

describe('a csv of which DuckDB makes files', () => {
  it('is read where it is', async () => {
    const { counts, said, values } = await carry(`id,name\n${lines.join('\n')}\n`);
    expect(values).toEqual(without());
    expect(said).not.toContainEqual(again);
    expect(counts).toMatchObject({ rowsRead: 100, rowsIn: 100, rowsFiltered: 0, rowsOut: 100 });
  });

  it('is counted where it is filtered', async () => {
    const config = { where: 'id < 40' };
    const step = { nodeId: 'f', type: 'transform.filter', config };
    const steps = [{ ...step, inputs: [{ port: 'in', from: 'source' }] }];
    const { counts, said } = await carry(`id,name\n${lines.join('\n')}\n`, steps);
    expect(said).not.toContainEqual(again);
    expect(counts).toMatchObject({ rowsRead: 100, rowsIn: 100, rowsFiltered: 60, rowsOut: 40 });
  });

  it.each([
    ['a row that DuckDB would forgive', '50,x,', 'malformed'],
    ['a value that is none of its type', 'fifty,x', 'expression_error'],
    ['a fraction where a whole number is wanted', '50.5,x', 'expression_error'],
  ])('is read row by row where there is %s', async (_, line, code) => {
    const text = lines.map((good, n) => (n === 50 ? line : good)).join('\n');
    const { counts, letters, said, values } = await carry(`id,name\n${text}\n`);
    expect(said).toContainEqual(again);
    expect(values).toEqual(without(50));
    expect(letters).toMatchObject([{ row: 50, code }]);
    expect(counts).toMatchObject({ rowsRead: 100, rowsIn: 100, rowsOut: 99, rowsFailed: 1 });
  });
});
