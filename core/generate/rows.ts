import type { GeneratedColumn } from './columns.js';
import { makeColumn } from './makers.js';

const chunkLength = 64 * 1024;

export interface CsvChunk {
  text: string;
  rows: number;
}

/** Rows [from, to) as csv, in chunks of about 64 KiB. */
export function* generateCsv(
  columns: readonly GeneratedColumn[],
  seed: number,
  from: number,
  to: number,
): Generator<CsvChunk> {
  const makers = columns.map((column, index) => makeColumn(column, seed, index));
  const last = makers.length - 1;
  let text = '';
  let rows = 0;
  for (let row = from; row < to; row++) {
    for (let index = 0; index < last; index++)
      text += `${(makers[index] as (row: number) => string)(row)},`;
    text += `${(makers[last] as (row: number) => string)(row)}\n`;
    rows += 1;
    if (text.length >= chunkLength) {
      yield { text, rows };
      text = '';
      rows = 0;
    }
  }
  if (rows > 0) yield { text, rows };
}
