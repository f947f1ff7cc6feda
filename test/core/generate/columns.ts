import type { GeneratedColumn } from '../../../core/generate/columns.js';

/** One column of every generator, with the edges of its settings. */
export const allColumns: readonly GeneratedColumn[] = [
  { name: 'id', generator: 'sequence', start: 10, step: -3 },
  { name: 'small', generator: 'integer', min: -5, max: 5 },
  { name: 'wide', generator: 'integer', min: -(2 ** 52), max: 2 ** 52 - 1 },
  { name: 'amount', generator: 'decimal', precision: 6, scale: 2, min: -1.1, max: 0.29 },
  { name: 'whole', generator: 'decimal', precision: 3, scale: 0, min: 0, max: 999 },
  { name: 'ratio', generator: 'double', min: -1, max: 1 },
  { name: 'flag', generator: 'boolean', probability: 0.25 },
  { name: 'note', generator: 'text', minWords: 0, maxWords: 4 },
  { name: 'state', generator: 'choice', values: ['a', '', 'x,"y"', null], weights: [7, 2, 1, 0.5] },
  { name: 'level', generator: 'choice', type: 'smallint', values: [1, 2, 3] },
  { name: 'at', generator: 'timestamp', from: '2026-01-01T00:00:00Z', to: '2026-02-01T00:00:00Z' },
  { name: 'tick', generator: 'timestamp', from: '1969-12-31T23:59:58.500Z', stepSeconds: 1 },
  { name: 'day', generator: 'date', from: '2024-02-28', to: '2024-03-01' },
  { name: 'uuid', generator: 'uuid' },
  { name: 'person', generator: 'name' },
  { name: 'mail', generator: 'email' },
  { name: 'fixed', generator: 'constant', type: 'json', value: { a: 1 } },
  { name: 'sparse', generator: 'integer', min: 1, max: 9, nullRate: 0.3 },
];
