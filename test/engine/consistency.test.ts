import type { Consistency } from '../../connectors/connector.js';
import { chooseConsistency } from '../../engine/consistency.js';
import type { WantedConsistency } from '../../engine/consistency.js';

const MiB = 1024 ** 2;
const GiB = 1024 ** 3;
const all: readonly Consistency[] = ['snapshot', 'per_row', 'single'];

const choose = (
  wanted: WantedConsistency,
  bytes: number | undefined,
  consistencies: readonly Consistency[] = all,
): Consistency =>
  chooseConsistency({
    facts: { columns: [], consistencies, ...(bytes === undefined ? {} : { bytes }) },
    wanted,
    splitBytes: 64 * MiB,
    nodeId: 'source',
  });

test.each([
  ['small', MiB, all, 'single'],
  ['loads in minutes', 5 * GiB, all, 'snapshot'],
  ['of unknown size', undefined, all, 'snapshot'],
  ['large and keyed', 50 * GiB, all, 'per_row'],
  ['large without a key', 50 * GiB, ['snapshot', 'single'], 'snapshot'],
  ['without snapshots', 5 * GiB, ['per_row', 'single'], 'per_row'],
  ['that can only be read at once', 5 * GiB, ['single'], 'single'],
] as const)('left to us, a source %s', (_what, bytes, consistencies, chosen) => {
  expect(choose('auto', bytes, consistencies)).toBe(chosen);
});

test.each(['snapshot', 'per_row'] as const)('asked for %s, that is what it is', (wanted) => {
  expect(choose(wanted, 5 * GiB)).toBe(wanted);
  expect(choose(wanted, 50 * GiB)).toBe(wanted);
  // One statement sees one state, and every row once.
  expect(choose(wanted, MiB)).toBe('single');
});

test('what is read by one statement is a snapshot of its own', () => {
  expect(choose('snapshot', 5 * GiB, ['single'])).toBe('single');
});

test('what the source cannot offer is refused with what it takes', () => {
  expect(() => choose('per_row', 5 * GiB, ['snapshot', 'single'])).toThrow(
    'cannot be read with consistency per_row: that needs that it has a key',
  );
  expect(() => choose('snapshot', 5 * GiB, ['per_row', 'single'])).toThrow('snapshot');
});
