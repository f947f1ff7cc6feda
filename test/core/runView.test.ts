import { noCounts } from '../../core/metrics.js';
import { nodeRecords } from '../../core/runView.js';
import type { PlannedStage, StageProgress } from '../../core/runView.js';

const nodes = [
  { id: 'orders', type: 'source.table' },
  { id: 'big', type: 'transform.filter' },
  { id: 'sum', type: 'transform.aggregate' },
  { id: 'table', type: 'destination.table' },
];
const stages: PlannedStage[] = [
  { id: 'big', kind: 'flow', nodes: ['orders', 'big'] },
  { id: 'sum', kind: 'compute', nodes: ['sum'] },
  { id: 'table', kind: 'flow', nodes: ['table'] },
];
const at = new Date('2026-11-21T00:00:00Z');

const did = (stage: string, counts: Partial<StageProgress>): StageProgress => ({
  ...noCounts,
  stage,
  splits: 1,
  done: 1,
  started: 1,
  startedAt: at,
  finishedAt: at,
  ...counts,
});

test('each node shows what came in and what went out, where a stage counts it', () => {
  const progress = [
    did('big', { rowsIn: 10, rowsOut: 4 }),
    did('sum', { rowsIn: 4, rowsOut: 2 }),
    did('table', { rowsIn: 2, rowsOut: 2, rowsFailed: 1 }),
  ];
  const records = nodeRecords({ status: 'succeeded' }, nodes, stages, progress);
  expect(records.map(({ metrics }) => metrics)).toEqual([
    { rowsOut: 10, rowsFailed: 0 },
    { rowsIn: 10, rowsOut: 4, rowsFailed: 0 },
    { rowsIn: 4, rowsOut: 2, rowsFailed: 0 },
    { rowsIn: 2, rowsFailed: 1 },
  ]);
});

test('between two transforms of one stage nobody counts', () => {
  const chain = [nodes[0], nodes[1], { id: 'more', type: 'transform.derive' }, nodes[3]].flatMap(
    (node) => node ?? [],
  );
  const stage: PlannedStage = {
    id: 'table',
    kind: 'flow',
    nodes: ['orders', 'big', 'more', 'table'],
  };
  const progress = [did('table', { rowsIn: 10, rowsOut: 4 })];
  const records = nodeRecords({ status: 'running' }, chain, [stage], progress);
  expect(records.map(({ metrics }) => metrics)).toEqual([
    { rowsOut: 10, rowsFailed: 0 },
    { rowsIn: 10, rowsFailed: 0 },
    { rowsOut: 4, rowsFailed: 0 },
    { rowsIn: 4, rowsFailed: 0 },
  ]);
});

test('of the sources of one query each shows its own rows, once they are counted', () => {
  const graph = [
    { id: 'orders', type: 'source.files' },
    { id: 'customers', type: 'source.files' },
    { id: 'join', type: 'transform.join' },
  ];
  const stage: PlannedStage = {
    id: 'join',
    kind: 'compute',
    nodes: ['orders', 'customers', 'join'],
  };
  const progress = [did('join', { rowsRead: 30, rowsIn: 30, rowsOut: 8 })];
  const metricsWith = (queried: ReadonlyMap<string, number>) =>
    nodeRecords({ status: 'running' }, graph, [stage], progress, queried).map(
      ({ metrics }) => metrics,
    );
  const joined = { rowsIn: 30, rowsOut: 8, rowsFailed: 0 };
  expect(metricsWith(new Map())).toEqual([{ rowsFailed: 0 }, { rowsFailed: 0 }, joined]);
  expect(
    metricsWith(
      new Map([
        ['orders', 20],
        ['customers', 10],
      ]),
    ),
  ).toEqual([{ rowsOut: 20, rowsFailed: 0 }, { rowsOut: 10, rowsFailed: 0 }, joined]);
});

test('what a failed run never came to was called off', () => {
  const progress = [did('big', { done: 0, finishedAt: null })];
  const records = nodeRecords({ status: 'failed' }, nodes, stages, progress);
  expect(records.map(({ status }) => status)).toEqual(['failed', 'failed', 'canceled', 'canceled']);
});
