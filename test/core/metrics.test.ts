import { noCounts, sumSplits } from '../../core/metrics.js';

test('counts of splits add up', () => {
  const one = { ...noCounts, rowsRead: 1, bytesRead: 10, rowsIn: 1, bytesStaged: 3, rowsFailed: 1 };
  const other = { ...noCounts, rowsIn: 1, rowsFiltered: 4, rowsWritten: 2, bytesWritten: 20 };
  expect(sumSplits([one, other])).toEqual({
    rowsRead: 1,
    rowsWritten: 2,
    rowsFiltered: 4,
    rowsFailed: 1,
    bytesRead: 10,
    bytesWritten: 20,
    bytesShuffled: 3,
  });
  expect(sumSplits([])).toMatchObject({ rowsRead: 0, rowsFiltered: 0 });
});

test('one split that cannot tell what was filtered is enough for nobody to know', () => {
  const parts = [noCounts, { ...noCounts, rowsFiltered: null }];
  expect(sumSplits(parts).rowsFiltered).toBeNull();
});
