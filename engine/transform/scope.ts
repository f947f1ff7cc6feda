/**
 * What an expression sees: the columns it names, under the names users gave them and as values. All
 * other columns are there under names of ours only, so that they can go on as they are.
 */
import { placeExpression } from '../../sql/gate.js';
import { quoteName } from '../duckdb/quote.js';
import type { CheckedSql } from './expressions.js';
import { isReserved, lowerCase, namesOf, placeOfColumn, slot, stepFailure } from './relation.js';
import type { DraftColumn } from './relation.js';
import { toTyped } from './toTyped.js';

/** The value of a column, whatever it is held as. */
export const typedColumn = (column: DraftColumn, reference: string): string =>
  column.held === 'text' && column.type ? toTyped(reference, column.type) : reference;

/** The columns that names mean. A name that is none of them may still be a word of SQL. */
export const namedPlaces = (
  columns: readonly DraftColumn[],
  names: readonly string[],
): ReadonlySet<number> => new Set(names.flatMap((name) => placeOfColumn(columns, name) ?? []));

/** Columns that expressions may name have to be told apart from each other and from ours. */
export const requireUsable = (
  nodeId: string,
  columns: readonly DraftColumn[],
  places: ReadonlySet<number>,
): void => {
  const seen = new Set<string>();
  for (const place of places) {
    const { name = '' } = columns[place] ?? {};
    if (isReserved(name)) {
      throw stepFailure(nodeId, `The column ${name} begins with a colon: rename it to use it.`);
    }
    if (seen.has(lowerCase(name))) {
      const message = `Two columns are called ${name}, in other case: rename one to use them.`;
      throw stepFailure(nodeId, message);
    }
    seen.add(lowerCase(name));
  }
};

/** The columns at these places, called as users call them. */
export const typedAliases = (
  nodeId: string,
  columns: readonly DraftColumn[],
  places: ReadonlySet<number>,
): string[] => {
  requireUsable(nodeId, columns, places);
  return [...places].flatMap((place) => {
    const column = columns[place];
    return column ? [`${typedColumn(column, slot(place))} AS ${quoteName(column.name)}`] : [];
  });
};

/** The first parts of what expressions name: columns, as rows have no name of their own. */
export const rowNames = (checked: readonly CheckedSql[]): string[] =>
  checked.flatMap(({ columns }) => columns.flatMap(([first]) => first ?? []));

/** `SELECT … FROM relation` with `items` and the columns that the expressions name. */
export const scopeSql = (
  relation: string,
  items: readonly string[],
  aliases: readonly string[],
): string => `SELECT ${[...items, ...aliases].join(', ') || '1'} FROM ${relation}`;

/** A statement that fails exactly where an expression does, and who is to be told. */
export interface Probe {
  sql: string;
  /** What of it is the user's: everything behind so many characters. */
  before: string;
  text: string;
  nodeId: string;
  place: string;
  /** What there is to be named, for those who named something else. */
  known: string;
  /** It has to be a condition. */
  condition: boolean;
}

export const probeOf = (
  { nodeId, place, text }: { nodeId: string; place: string; text: string },
  columns: readonly DraftColumn[],
  from: string,
  condition = false,
): Probe => {
  const before = 'DESCRIBE SELECT (\n';
  return {
    sql: `DESCRIBE SELECT ${placeExpression(text)} ${from}`,
    before,
    text,
    nodeId,
    place,
    known: namesOf(columns),
    condition,
  };
};
