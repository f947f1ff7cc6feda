import { cutText, exactNumber } from '../../core/browse.js';
import type { Cell, RowCaps, Rows } from '../../core/browse.js';
import type { DatabaseProblem } from '../duckdbPort.js';
import type { Database } from './database.js';
import { describedOf, describeSql, rowBytes, slot } from './describe.js';
import type { Described } from './describe.js';
import { toText } from './toText.js';
import { dataTypeOf } from './types.js';

/** What is cut here is cut again where it is shown: more than that need not come. */
const longestText = 5_000;

interface Shown {
  cell: Cell;
  cut: boolean;
}

const whole = (cell: Cell): Shown => ({ cell, cut: false });

const numbers = new Set(['smallint', 'integer', 'bigint', 'decimal', 'numeric']);

const numberOr = (text: string): Cell => {
  const number = Number(text);
  return Number.isFinite(number) && text !== '-0.0' ? number : text;
};

const cellOf = (value: unknown, { type }: Described): Shown => {
  // Every value was asked for as text.
  if (typeof value !== 'string') return whole(null);
  const { kind } = dataTypeOf(type);
  if (kind === 'boolean') return whole(value === 'true');
  if (numbers.has(kind)) return whole(exactNumber(value));
  if (kind === 'real' || kind === 'double') return whole(numberOr(value));
  return cutText(value);
};

/** Three bytes are four letters: what is cut is still base64. */
const shownText = (x: string, type: string): string =>
  type === 'BLOB' ? `base64(${x}[1:3750])` : `left(${toText(x, type)}, ${longestText})`;

/**
 * Rows as text, none longer than is shown; behind them whether they have become too many bytes. Of
 * those that have, only the first one comes.
 */
const cappedSql = (sql: string, described: readonly Described[], caps: RowCaps): string => {
  const slots = described.map((_, index) => slot(index)).join(', ');
  const texts = described.map(
    ({ type }, index) => `${shownText(slot(index), type)} AS ${slot(index)}`,
  );
  return (
    `SELECT ${slots}, total > ${caps.bytes} FROM (SELECT *, sum(bytes) OVER ` +
    `(ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS total FROM ` +
    `(SELECT *, ${rowBytes(described)} AS bytes FROM (SELECT ${texts.join(', ')} FROM ` +
    `(\n${sql}\n) AS fluxline_rows(${slots}) LIMIT ${caps.rows + 1}))) ` +
    `WHERE total - bytes <= ${caps.bytes}`
  );
};

export type ShownRows = { rows: Rows; scanned: number } | { problem: DatabaseProblem };

/** The place of a problem is counted in the query as it was written, in bytes. */
const within = (problem: DatabaseProblem, before: string): DatabaseProblem => {
  const { position, ...rest } = problem;
  const place = position === undefined ? -1 : position - Buffer.byteLength(before);
  return place < 0 ? rest : { ...rest, position: place };
};

/** The first rows of a query, as far as they are to be shown. */
export const showRows = async (
  database: Database,
  sql: string,
  caps: RowCaps,
): Promise<ShownRows> => {
  const described = await database.attempt('read', [describeSql(sql)]);
  if ('problem' in described) return { problem: within(described.problem, describeSql('')) };
  const columns = describedOf(described.results[0]?.rows ?? []);
  const capped = cappedSql(sql, columns, caps);
  const answer = await database.attempt('read', [capped]);
  if ('problem' in answer) {
    return { problem: within(answer.problem, capped.slice(0, capped.indexOf(sql))) };
  }
  const found = answer.results[0]?.rows ?? [];
  const fitting = found.slice(0, caps.rows).filter((row) => row[columns.length] !== true);
  const shown = fitting.map((row) => columns.map((column, index) => cellOf(row[index], column)));
  return {
    rows: {
      columns,
      rows: shown.map((row) => row.map(({ cell }) => cell)),
      truncated: found.length > fitting.length || shown.flat().some(({ cut }) => cut),
    },
    scanned: found.length,
  };
};
