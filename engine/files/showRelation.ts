import { cutText, exactNumber } from '../../core/browse.js';
import type { Cell, Rows } from '../../core/browse.js';
import type { DataType } from '../../core/dataTypes.js';
import type { CallContext, Column } from '../../connectors/connector.js';
import type { DuckDb } from '../duckdb/program.js';
import { quoteName } from '../duckdb/quote.js';
import { toText } from '../transform/toText.js';
import { typeWord } from './fileRange.js';
import type { Held, Relation } from './relation.js';

/** One more than a cell holds: that it was cut has to be seen. */
const longestText = 4_097;

const truths: Readonly<Record<string, boolean>> = { true: true, t: true, false: false, f: false };

const whole: ReadonlySet<DataType['kind']> = new Set(['smallint', 'integer', 'bigint']);
const inexact: ReadonlySet<DataType['kind']> = new Set(['real', 'double']);

const cellOf = (value: unknown, { kind }: DataType): { cell: Cell; cut: boolean } => {
  if (value === null || value === undefined) return { cell: null, cut: false };
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const number = inexact.has(kind) ? Number(text) : NaN;
  if (Number.isFinite(number) && text.trim() !== '') return { cell: number, cut: false };
  if (whole.has(kind)) return { cell: exactNumber(text), cut: false };
  const truth = kind === 'boolean' ? truths[text.toLowerCase()] : undefined;
  return truth === undefined ? cutText(text) : { cell: truth, cut: false };
};

const textOf = ({ name, type }: Column, held: Held): string => {
  const value = quoteName(name);
  if (held === 'text') return value;
  return type.kind === 'bytes' ? `base64(${value})` : toText(value, type);
};

/** Some rows of a relation, as somebody who looks at them sees them. */
export const showRelation = async (
  duckdb: DuckDb,
  { columns, held, reads, sql }: Pick<Relation, 'columns' | 'held' | 'reads' | 'sql'>,
  rows: number,
  directory: string,
  { signal }: CallContext,
): Promise<Rows> => {
  const texts = columns.map((column) => `left(${textOf(column, held)}, ${longestText})`);
  const select = `SELECT ${texts.join(', ')} FROM (${sql}) LIMIT ${rows + 1}`;
  const program = { directory, reads, statements: [{ sql: select }] };
  const [answer] = await duckdb.run(program, signal);
  const found = answer?.rows ?? [];
  let truncated = found.length > rows;
  const cells = found.slice(0, rows).map((row) =>
    row.map((value, index) => {
      const { cell, cut } = cellOf(value, columns[index]?.type ?? { kind: 'text' });
      truncated ||= cut;
      return cell;
    }),
  );
  return {
    columns: columns.map(({ name, type }) => ({ name, type: typeWord(type) })),
    rows: cells,
    truncated,
  };
};
