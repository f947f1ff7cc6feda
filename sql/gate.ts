/**
 * What users' SQL may say before a DuckDB sees it. Everything is an allow-list: shapes, functions
 * and tables that are not named here are refused, wherever in the statement they are.
 */
import { isStorableText } from '../core/text.js';
import type { Expression, QueryNode } from './ast.js';
import { onlyTables, visitExpression, visitQuery } from './gateVisit.js';
import type { Findings, GateContext, TableRule } from './gateVisit.js';
import { mostCharacters } from './limits.js';
import { offsetOfByte, offsetOfCharacter, placeOf } from './place.js';
import { SqlRefusal } from './refusal.js';
import { readSerialized } from './serialized.js';
import type { Parsed } from './serialized.js';
import { withoutSemicolon } from './tokens.js';

/**
 * Where an expression has to stand wherever it becomes part of a statement: in brackets, and with a
 * line of its own, since it may end in a comment.
 */
export const placeExpression = (text: string): string => `(\n${text}\n)`;

/** The same for a query; where it ends in a semicolon, that is left out. */
export const placeQuery = (text: string): string => placeExpression(withoutSemicolon(text));

const beforeText = 'SELECT (\n';

const requireText = (text: string): void => {
  if (text.length > mostCharacters) {
    throw new SqlRefusal(`it is longer than ${mostCharacters} characters`);
  }
  if (!isStorableText(text)) throw new SqlRefusal('it has characters that are not valid text');
};

/**
 * The statements to have serialized before `checkExpression`. No text can close both kinds of
 * bracket it is put into, so what parses in both stays in its place.
 */
export const expressionProbes = (text: string): readonly [string, string] => {
  requireText(text);
  return [`SELECT ${placeExpression(text)}`, `SELECT [\n${text}\n]`];
};

/** The statement to have serialized before `checkQuery`: what `placeQuery` puts into its place. */
export const queryProbe = (text: string): string => {
  requireText(text);
  return withoutSemicolon(text);
};

type Failed = Extract<Parsed, { ok: false }>;

/** In UTF-16 units of `text`, which stands behind `before`. */
const offsetOf = (
  { character, byte }: Failed,
  text: string,
  before: string,
): number | undefined => {
  const probe = `${before}${text}`;
  const offset =
    character === undefined
      ? byte === undefined
        ? undefined
        : offsetOfByte(probe, byte)
      : offsetOfCharacter(probe, character);
  return offset === undefined ? undefined : Math.max(0, offset - before.length);
};

/** All of them, or what the first complaint in the text is. */
const parsedOrRefused = (
  answers: readonly string[],
  text: string,
  before: string,
): readonly QueryNode[] => {
  const parsed = answers.map(readSerialized);
  const complaints = parsed
    .filter((one) => !one.ok)
    .map((one) => ({ message: one.message, offset: offsetOf(one, text, before) }))
    .sort((one, other) => (one.offset ?? text.length) - (other.offset ?? text.length));
  const [first] = complaints;
  if (first) {
    const { message, offset } = first;
    throw new SqlRefusal(message, offset === undefined ? undefined : placeOf(text, offset));
  }
  return parsed.flatMap((one) => (one.ok ? [one.statement] : []));
};

const locate =
  (text: string, before: string) =>
  (message: string, at: number | undefined): never => {
    const offset = at === undefined ? undefined : offsetOfByte(text, at - before.length);
    throw new SqlRefusal(message, offset === undefined ? undefined : placeOf(text, offset));
  };

/** The expression, if the statement is nothing but a SELECT of it. */
const onlyExpression = (node: QueryNode): Expression | undefined => {
  if (node.kind !== 'select' || node.from.kind !== 'none') return undefined;
  const bare =
    node.commonTables.length === 0 &&
    !node.modified &&
    !node.shaped &&
    node.where === undefined &&
    node.groups.length === 0;
  const [expression, ...others] = node.select;
  return bare && others.length === 0 && expression?.alias === '' ? expression : undefined;
};

const sameTree = (one: Expression, other: Expression | undefined): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

export interface CheckedExpression {
  expression: Expression;
  /**
   * The columns it names, as written, part by part: `order.id` may be a column of a relation or a
   * field of a column. A name that is no column may still be a word such as `current_date`.
   */
  columns: readonly (readonly string[])[];
  aggregate: boolean;
  /** Asks for the time. It is the caller's to make that one moment for all rows of a run. */
  moment: boolean;
}

/**
 * `answers`: what DuckDB made of the two probes. In a `row` context one row comes in and one value
 * out; an `aggregate` context is one of a group of rows, and something has to be aggregated.
 */
export const checkExpression = (
  text: string,
  answers: readonly [string, string],
  context: Exclude<GateContext, 'query'>,
): CheckedExpression => {
  const [expression, list] = parsedOrRefused(answers, text, beforeText).map(onlyExpression);
  const elements = list?.kind === 'function' && list.name === 'list_value' ? list.children : [];
  if (!expression || elements.length !== 1 || !sameTree(expression, elements[0])) {
    throw new SqlRefusal('it has to be exactly one expression');
  }
  const found = visitExpression(expression, context, locate(text, beforeText));
  if (context === 'aggregate' && !found.aggregate) {
    throw new SqlRefusal('it has to aggregate something, as in sum(amount)');
  }
  return {
    expression,
    columns: found.columns,
    aggregate: found.aggregate,
    moment: found.moment,
  };
};

export type CheckedQuery = Pick<Findings, 'tables' | 'moment'>;

/** One SELECT over what the rule lets it read, which comes back. */
export const checkQueryBy = (text: string, answer: string, rule: TableRule): CheckedQuery => {
  const [node] = parsedOrRefused([answer], text, '');
  if (!node) throw new SqlRefusal('it cannot be parsed');
  const found = visitQuery(node, rule, locate(text, ''));
  return { tables: found.tables, moment: found.moment };
};

/** One SELECT over nothing but `tables`, of which those it reads come back. */
export const checkQuery = (text: string, answer: string, tables: readonly string[]): CheckedQuery =>
  checkQueryBy(text, answer, onlyTables(tables));
