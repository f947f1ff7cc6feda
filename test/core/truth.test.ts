import { noCounts } from '../../core/metrics.js';
import type { ComputeStage, FlowStage } from '../../core/plan/stage.js';
import { untruth } from '../../core/truth.js';
import type { StageOutcome } from '../../core/truth.js';

const end = (nodeId: string) => ({ nodeId, type: 'x', config: {} });

const load: FlowStage = {
  kind: 'flow',
  id: 'table',
  nodes: ['rows', 'table'],
  steps: [],
  input: { kind: 'source', nodeId: 'rows', end: end('rows') },
  output: { kind: 'destination', end: end('table') },
};
const stageRows: FlowStage = {
  ...load,
  id: 'rows',
  nodes: ['rows'],
  output: { kind: 'dataset' },
};
const sum: ComputeStage = {
  kind: 'compute',
  id: 'sum',
  nodes: ['sum'],
  steps: [],
  inputs: [{ kind: 'dataset', nodeId: 'rows', dataset: 'rows' }],
  output: { kind: 'dataset' },
};
const loadSum: FlowStage = {
  ...load,
  nodes: ['table'],
  input: { kind: 'dataset', nodeId: 'sum', dataset: 'sum' },
};

const did = (stage: string, counts: Partial<StageOutcome>): StageOutcome => ({
  ...noCounts,
  stage,
  splits: 1,
  done: 1,
  ...counts,
});

test.each([
  ['all rows written', { rowsIn: 5, rowsWritten: 5 }],
  ['some filtered', { rowsIn: 5, rowsFiltered: 2, rowsWritten: 3 }],
  ['some superfluous, some failed', { rowsIn: 5, rowsCoalesced: 1, rowsFailed: 1, rowsWritten: 3 }],
  ['filtered at the source', { rowsIn: 3, rowsFiltered: null, rowsWritten: 3 }],
  ['nothing at all', { splits: 0, done: 0 }],
])('adds up: %s', (_what, counts) => {
  expect(untruth([load], [did('table', counts)])).toBeNull();
});

test.each([
  ['a row vanished', { rowsIn: 5, rowsWritten: 4 }, '5 rows went in, 4 came out'],
  ['a row came from nowhere', { rowsIn: 4, rowsWritten: 5 }, '4 rows went in, 5 came out'],
  ['a failed row was written, too', { rowsIn: 5, rowsFailed: 1, rowsWritten: 5 }, '1 failed'],
  ['a split is not done', { splits: 2, rowsIn: 5, rowsWritten: 5 }, '1 of 2 splits are done.'],
])('does not add up: %s', (_what, counts, message) => {
  expect(untruth([load], [did('table', counts)])).toMatchObject({
    code: 'count_mismatch',
    nodeId: 'table',
    message: expect.stringContaining(message) as string,
  });
});

test('a stage that nobody cut into splits is no success', () => {
  expect(untruth([load], [])).toMatchObject({ nodeId: 'table' });
});

test('what a query makes of its rows is its own business, what is read of it is not', () => {
  const stages = [stageRows, sum, loadSum];
  const before = [did('rows', { rowsIn: 9, rowsOut: 9 }), did('sum', { rowsIn: 9, rowsOut: 3 })];
  const rest = did('table', { rowsIn: 3, rowsWritten: 3 });
  expect(untruth(stages, [...before, rest])).toBeNull();
  const lost = did('table', { rowsIn: 2, rowsWritten: 2 });
  expect(untruth(stages, [...before, lost])).toMatchObject({
    nodeId: 'table',
    message: '3 rows were staged by sum and 2 read.',
  });
});

test('a dataset has what went in, but for what was filtered or failed', () => {
  const counts = { rowsIn: 9, rowsFiltered: 2, rowsFailed: 1 };
  expect(untruth([stageRows], [did('rows', { ...counts, rowsOut: 6 })])).toBeNull();
  expect(untruth([stageRows], [did('rows', { ...counts, rowsOut: 7 })])).not.toBeNull();
});
