import { checkSchema } from '../../../core/schema.js';
import { sourceGenerate } from '../../../core/nodes/sourceGenerate.js';
import { allColumns } from '../generate/columns.js';

const check = (value: unknown) => {
  const issues = checkSchema(sourceGenerate.config, value, '');
  return issues.length > 0 ? issues : (sourceGenerate.check?.(value, '') ?? []);
};

const checkColumn = (column: object, rows = 1_000) =>
  check({ rows, columns: [{ name: 'x', ...column }] }).map(({ pointer }) =>
    pointer.replace('/columns/0', ''),
  );

it('takes one column of every generator', () => {
  const generators = new Set(allColumns.map(({ generator }) => generator));
  expect(generators.size).toBe(13);
  expect(check({ rows: 1_000, columns: allColumns, seed: 0 })).toEqual([]);
});

it.each([
  { rows: 0 },
  { rows: 1e12, columns: [{ name: 'u', generator: 'uuid' }] },
  { seed: 4294967295 },
])('takes %j', (extra) => {
  expect(check({ rows: 1, columns: allColumns, ...extra })).toEqual([]);
});

it.each([
  [{ rows: -1 }, '/rows'],
  [{ rows: 1.5 }, '/rows'],
  [{ rows: 1e12 + 1 }, '/rows'],
  [{ seed: -1 }, '/seed'],
  [{ columns: [] }, '/columns'],
  [{ columns: [{ name: 'x' }] }, '/columns/0/generator'],
  [{ columns: [{ name: 'x', generator: 'magic' }] }, '/columns/0/generator'],
  [{ columns: [{ name: '', generator: 'uuid' }] }, '/columns/0/name'],
  [{ columns: [{ name: 'ä'.repeat(32), generator: 'uuid' }] }, '/columns/0/name'],
  [{ columns: [allColumns[0], allColumns[0]] }, '/columns/1/name'],
])('refuses %j at %s', (extra, pointer) => {
  const issues = check({ rows: 1, columns: [allColumns[0]], ...extra });
  expect(issues.map((issue) => issue.pointer)).toEqual([pointer]);
});

it.each([
  [{ generator: 'uuid', nullRate: 1.1 }, '/nullRate'],
  [{ generator: 'sequence', start: 0.5 }, '/start'],
  [{ generator: 'sequence', start: Number.MAX_SAFE_INTEGER }, '/step'],
  [{ generator: 'sequence', step: 2 ** 50 }, '/step'],
  [{ generator: 'integer', min: 2, max: 1 }, '/max'],
  [{ generator: 'integer', min: 1 }, '/max'],
  [{ generator: 'integer', min: -(2 ** 52), max: 2 ** 52 }, '/max'],
  [{ generator: 'decimal', precision: 4, scale: 5, min: 0, max: 1 }, '/scale'],
  [{ generator: 'decimal', precision: 16, scale: 2, min: 0, max: 1 }, '/precision'],
  [{ generator: 'decimal', precision: 4, scale: 2, min: 1, max: 0 }, '/max'],
  [{ generator: 'decimal', precision: 4, scale: 2, min: 0, max: 100 }, ''],
  [{ generator: 'decimal', precision: 4, scale: 1, min: 0.11, max: 0.19 }, ''],
  [{ generator: 'double', min: 1, max: 0 }, '/max'],
  [{ generator: 'double', min: -1.5e308, max: 1.5e308 }, '/max'],
  [{ generator: 'boolean', probability: 2 }, '/probability'],
  [{ generator: 'text', minWords: 9 }, '/maxWords'],
  [{ generator: 'choice', values: [] }, '/values'],
  [{ generator: 'choice', values: ['a', 1] }, '/values/1'],
  [{ generator: 'choice', type: 'enum', values: ['a'] }, '/type'],
  [{ generator: 'choice', values: ['a', 'b'], weights: [1] }, '/weights'],
  [{ generator: 'choice', values: ['a', 'b'], weights: [0, 0] }, '/weights'],
  [{ generator: 'choice', values: ['a'], weights: [-1] }, '/weights/0'],
  [{ generator: 'choice', values: ['a', 'b'], weights: [1.7e308, 1.7e308] }, '/weights'],
  [{ generator: 'timestamp', from: '2026-01-01T00:00:00Z' }, ''],
  [{ generator: 'timestamp', from: '2026-01-01', stepSeconds: 1 }, '/from'],
  [{ generator: 'timestamp', from: '2026-02-30T00:00:00Z', stepSeconds: 1 }, '/from'],
  [{ generator: 'timestamp', from: '2026-01-01T24:00:00Z', stepSeconds: 1 }, '/from'],
  [{ generator: 'timestamp', from: '9999-12-31T23:59:58Z', stepSeconds: 1 }, '/stepSeconds'],
  [{ generator: 'date', from: '2026-01-02', to: '2026-01-01' }, '/to'],
  [{ generator: 'date', from: '2026-01-02', to: '2026-02-30' }, '/to'],
  [{ generator: 'constant', type: 'integer', value: 'one' }, '/value'],
  [{ generator: 'constant', type: 'number', value: 1 }, '/type'],
])('refuses %j at "%s"', (column, pointer) => {
  expect(checkColumn(column)).toEqual([pointer]);
});

it('judges steps by the number of rows', () => {
  const tick = { generator: 'timestamp', from: '9999-12-31T23:59:58Z', stepSeconds: 1 };
  expect(checkColumn(tick, 2)).toEqual([]);
  expect(checkColumn(tick, 3)).toEqual(['/stepSeconds']);
  const sequence = { generator: 'sequence', start: Number.MAX_SAFE_INTEGER - 1 };
  expect(checkColumn(sequence, 2)).toEqual([]);
  expect(checkColumn(sequence, 3)).toEqual(['/step']);
});
