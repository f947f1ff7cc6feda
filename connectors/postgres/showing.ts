import type pg from 'pg';
import { cutText, exactNumber } from '../../core/browse.js';
import type { Cell, RowCaps, Rows } from '../../core/browse.js';

/** Longer values do not even leave the server; one letter more than is shown says that it was cut. */
const mostLetters = 4097;
const mostBytes = 3073;

const oids = { boolean: 16, bytea: 17, whole: [20, 21, 23, 26, 1700], floating: [700, 701] };

const cellSql = (name: string, oid: number): string =>
  oid === oids.bytea
    ? `translate(encode(substring(${name} for ${mostBytes}), 'base64'), E'\\n', '')`
    : `left(${name}::text, ${mostLetters})`;

const cellOf = (text: string | null, oid: number): { cell: Cell; cut: boolean } => {
  if (text === null) return { cell: null, cut: false };
  if (oid === oids.boolean) return { cell: text === 'true', cut: false };
  if (oids.whole.includes(oid)) return { cell: exactNumber(text), cut: false };
  if (oids.floating.includes(oid)) {
    const number = Number(text);
    return { cell: Number.isFinite(number) && text !== '-0' ? number : text, cut: false };
  }
  return cutText(text);
};

/** Up to the semicolon that ends it; what follows can only be a comment. */
const pieces =
  /[eE]'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\w*)\$[\s\S]*?\$\1\$|--[^\n]*|\/\*[\s\S]*?\*\/|;/g;

const unterminated = (sql: string): string => {
  for (const { 0: piece, index } of sql.matchAll(pieces)) {
    if (piece === ';') return sql.slice(0, index);
  }
  return sql;
};

const declaration = 'declare fluxline_query no scroll cursor for ';

/** What the server says about it counts from its own beginning. */
export const placeIn = (position: string | undefined): number | undefined => {
  const place = Number(position ?? 0) - declaration.length;
  return place > 0 ? place : undefined;
};

/** Sent as one statement, whatever it holds: several are refused before one of them runs. */
const single = (text: string) => ({ text, queryMode: 'extended' });

/**
 * What columns a query has. The server reads and plans it as it was written, and does not run it.
 */
const fieldsOf = async (client: pg.Client, sql: string): Promise<pg.FieldDef[]> => {
  await client.query(single(`${declaration}${sql}`));
  const { fields } = await client.query('fetch 0 from fluxline_query');
  await client.query('close fluxline_query');
  return fields;
};

const namesSql = `
  select format_type(oid, modifier) as name
    from unnest($1::oid[], $2::int4[]) with ordinality wanted (oid, modifier, n) order by n`;

const columnsOf = async (client: pg.Client, fields: readonly pg.FieldDef[]) => {
  const { rows } = await client.query<{ name: string }>(namesSql, [
    fields.map(({ dataTypeID }) => dataTypeID),
    fields.map(({ dataTypeModifier }) => dataTypeModifier),
  ]);
  return fields.map(({ name }, index) => ({ name, type: rows[index]?.name ?? 'unknown' }));
};

const mostAtOnce = 500;

type TextRow = (string | null)[];

const sizeOf = (row: TextRow): number =>
  row.reduce((sum, text) => sum + Buffer.byteLength(text ?? ''), 0);

/** The first row says how many of them may be asked for at once. */
const readRows = async (
  client: pg.Client,
  oidsOf: readonly number[],
  caps: RowCaps,
): Promise<Pick<Rows, 'rows' | 'truncated'> & { scanned: number }> => {
  const rows: Cell[][] = [];
  let [bytes, largest, scanned, cut] = [0, 0, 0, false];
  for (;;) {
    const left = Math.floor((caps.bytes - bytes) / Math.max(1, largest));
    const count = scanned === 0 ? 1 : Math.min(mostAtOnce, Math.max(1, left));
    const wanted = Math.min(count, caps.rows - rows.length + 1);
    const { rows: fetched } = await client.query<TextRow>({
      text: `fetch ${wanted} from fluxline_rows`,
      rowMode: 'array',
    });
    scanned += fetched.length;
    for (const row of fetched) {
      const size = sizeOf(row);
      bytes += size;
      largest = Math.max(largest, size);
      if (rows.length === caps.rows || bytes > caps.bytes) {
        return { rows, truncated: true, scanned };
      }
      const cells = row.map((text, index) => cellOf(text, oidsOf[index] ?? 0));
      cut ||= cells.some((cell) => cell.cut);
      rows.push(cells.map(({ cell }) => cell));
    }
    if (fetched.length < wanted) return { rows, truncated: cut, scanned };
  }
};

/** The first rows of a query, as far as they are to be shown: the rest stays on the server. */
export const showRows = async (
  client: pg.Client,
  sql: string,
  caps: RowCaps,
): Promise<{ rows: Rows; scanned: number }> => {
  const fields = await fieldsOf(client, sql);
  if (fields.length === 0) return { rows: { columns: [], rows: [], truncated: false }, scanned: 0 };
  const columns = await columnsOf(client, fields);
  // Two columns of a query may have one name.
  const names = fields.map((_, index) => `c${index + 1}`);
  const cells = fields.map(({ dataTypeID }, index) => cellSql(names[index] ?? '', dataTypeID));
  await client.query(
    `declare fluxline_rows no scroll cursor for
     select ${cells.join(', ')} from (\n${unterminated(sql)}\n) as fluxline_shown (${names.join(', ')})`,
  );
  const types = fields.map(({ dataTypeID }) => dataTypeID);
  const { scanned, ...read } = await readRows(client, types, caps);
  return { rows: { columns, ...read }, scanned };
};
