import type { CallContext, Column } from '../../connectors/connector.js';
import type { FilePart, FileRange } from './fileRange.js';
import type { FileDeps } from './localFiles.js';
import type { Piece } from './pieces.js';
import { quoteName, quoteText } from '../duckdb/quote.js';
import { jsonPart } from './textParts.js';
import type { TextPart } from './textParts.js';

const smallestObject = 16 * 1024 * 1024;

/** `/a~1b`: the member `a/b`, as RFC 6901 points to it. */
const pointerTo = (name: string): string => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;

export interface LinesRead {
  columns: readonly Column[];
  /** The member of an object that each column is. */
  members: readonly string[];
  /** Values of columns of JSON stand in the lines as texts of their own. */
  jsonAsText: boolean;
}

/** Lines of JSON in DuckDB, as text: whole numbers keep the digits they have. */
export const linesPiece = (
  text: TextPart,
  { columns, members, jsonAsText }: LinesRead,
  number: number,
): Piece => {
  const size = Math.max(smallestObject, text.longestRow + 1);
  const lines =
    `read_ndjson_objects(${quoteText(text.path)}, ignore_errors = true, ` +
    `compression = 'uncompressed', maximum_object_size = ${size})`;
  const pointers = members.map((name) => quoteText(pointerTo(name)));
  const list = `[${pointers.join(', ')}]`;
  const selected = columns.map(({ name, type }, index) => {
    const value = `texts[${index + 1}]`;
    // Texts in a column of JSON keep their quotes; a null of JSON is NULL.
    const json = `CASE WHEN ${value} IS NOT NULL THEN parts[${index + 1}]::VARCHAR END`;
    return `${type.kind === 'json' && !jsonAsText ? json : value} AS ${quoteName(name)}`;
  });
  const parts = jsonAsText ? '' : `, json_extract(json, ${list}) AS parts`;
  return {
    sql:
      `SELECT ${selected.join(', ')} FROM (SELECT json_extract_string(json, ${list}) AS texts` +
      `${parts} FROM ${lines} WHERE json_type(json) = 'OBJECT')`,
    text,
    rejectedSql:
      `SELECT ${number} AS piece, place FROM (SELECT json_type(json) AS kind, ` +
      `row_number() OVER () - 1 AS place FROM ${lines}) WHERE kind IS DISTINCT FROM 'OBJECT'`,
  };
};

export const jsonPiece = async (
  deps: FileDeps,
  range: FileRange,
  columns: readonly Column[],
  part: FilePart,
  number: number,
  directory: string,
  ctx: CallContext,
): Promise<Piece> => {
  const text = await jsonPart(deps, range, part, directory, ctx);
  return linesPiece(text, { columns, members: range.members ?? [], jsonAsText: false }, number);
};
