import type { FieldPacket } from 'mysql2';
import { cutText, exactNumber } from '../../core/browse.js';
import type { Cell, RowCaps, Rows } from '../../core/browse.js';
import type { DataType } from '../../core/dataTypes.js';
import type { Session } from './session.js';
import { typeOfField } from './wireTypes.js';
import type { FieldKind, WireField } from './wireTypes.js';

interface Shown {
  cell: Cell;
  cut: boolean;
}

const whole = (cell: Cell): Shown => ({ cell, cut: false });

const wholeNumbers: ReadonlySet<string> = new Set([
  'smallint',
  'integer',
  'bigint',
  'decimal',
  'numeric',
]);

const numberOr = (text: string): Cell => {
  const number = Number(text);
  return Number.isFinite(number) && text !== '-0' ? number : text;
};

const cellOf = (value: Buffer | null, type: DataType, field: FieldKind): Shown => {
  if (value === null) return whole(null);
  if (field === 'bytes') return cutText(value.toString('base64'));
  if (field === 'flag') return whole(value.at(-1) !== 0);
  if (field === 'bits') return whole(exactNumber(BigInt(`0x${value.toString('hex')}`).toString()));
  const text = value.toString();
  if (wholeNumbers.has(type.kind)) return whole(exactNumber(text));
  if (type.kind === 'double' || type.kind === 'real') return whole(numberOr(text));
  return cutText(text);
};

const typeWord = (type: DataType): string =>
  type.kind === 'decimal' ? `decimal(${type.precision},${type.scale})` : type.kind;

/** The first rows of a query, as far as they are to be shown; then the line is cut. */
export const showRows = (
  session: Session,
  sql: string,
  caps: RowCaps,
): Promise<{ rows: Rows; scanned: number }> =>
  new Promise((resolve, reject) => {
    const rows: Cell[][] = [];
    let types: { name: string; type: DataType; field: FieldKind }[] = [];
    let [bytes, scanned, cut, over] = [0, 0, false, false];

    const finish = (truncated: boolean): void => {
      if (over) return;
      over = true;
      const columns = types.map(({ name, type }) => ({ name, type: typeWord(type) }));
      resolve({ rows: { columns, rows, truncated }, scanned });
    };

    const take = (row: readonly (Buffer | null)[]): void => {
      if (over) return;
      scanned += 1;
      bytes += row.reduce((sum, value) => sum + (value?.length ?? 0), 0);
      if (rows.length === caps.rows || bytes > caps.bytes) {
        finish(true);
        session.cut();
        return;
      }
      const cells = row.map((value, at) =>
        cellOf(value, types[at]?.type ?? { kind: 'text' }, types[at]?.field ?? 'text'),
      );
      cut ||= cells.some((cell) => cell.cut);
      rows.push(cells.map(({ cell }) => cell));
    };

    const running = session.connection.query({
      sql,
      rowsAsArray: true,
      typeCast: (field: { buffer(): Buffer | null }) => field.buffer(),
    });
    running.on('fields', (fields: FieldPacket[] | undefined) => {
      types = (fields ?? []).map((field) => {
        const wire = field as unknown as WireField;
        return { name: wire.name, ...typeOfField(wire) };
      });
    });
    running.on('result', (row: unknown) => {
      // What is no row is how many rows a statement has changed: here, none.
      if (Array.isArray(row)) take(row as (Buffer | null)[]);
    });
    running.on('error', reject);
    // A statement without a callback is not told that its line is cut.
    session.connection.once('error', reject);
    running.on('end', () => finish(cut));
  });
