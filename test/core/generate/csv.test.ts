import fc from 'fast-check';
import { csvText } from '../../../core/generate/csv.js';
import { parseCsv } from './parseCsv.js';

it.each([
  ['plain', 'plain'],
  ['', '""'],
  ['a,b', '"a,b"'],
  ['say "hi"', '"say ""hi"""'],
  ['two\nlines', '"two\nlines"'],
  ['carriage\rreturn', '"carriage\rreturn"'],
  ['\\.', '"\\."'],
  [' spaces ', ' spaces '],
  ['\\N', '\\N'],
])('%j is written %j', (text, field) => {
  expect(csvText(text)).toBe(field);
});

it('comes back as it was, next to other fields', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', '\\', ' ', 'ä') });
  fc.assert(
    fc.property(fc.array(fc.array(cell, { minLength: 2, maxLength: 2 })), (rows) => {
      const text = rows.map((row) => `${row.map(csvText).join(',')}\n`).join('');
      expect(parseCsv(text)).toEqual(rows);
    }),
  );
});
