/**
 * Plain mistakes in SQL, found without a database while a pipeline is saved. It only warns, and so
 * it only speaks of what is wrong in any SQL: brackets and quotes that do not match, operators that
 * miss a side, nothing at all. Whether a text is right, the database says that runs it.
 */
import { mostCharacters } from './limits.js';
import { placeOf } from './place.js';
import type { Place } from './place.js';
import { tokensOf } from './tokens.js';
import type { Token } from './tokens.js';

export type SqlProblem = Place & { message: string };

interface Finding {
  at: number;
  message: string;
}

const partners: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

const unendingNames: readonly (readonly [RegExp, string])[] = [
  [/^"/, 'This quoted name is not closed'],
  [/^\/\*/, 'This comment is not closed'],
  [/^/, 'This text is not closed'],
];

const unending = (tokens: readonly Token[]): Finding | undefined => {
  const token = tokens.find(({ kind }) => kind === 'unending');
  const message = token && unendingNames.find(([pattern]) => pattern.test(token.text))?.[1];
  return message === undefined ? undefined : { at: token?.start ?? 0, message };
};

const brackets = (tokens: readonly Token[]): Finding | undefined => {
  const open: Token[] = [];
  for (const token of tokens) {
    if (token.kind === 'open') open.push(token);
    if (token.kind !== 'close') continue;
    const opener = open.pop();
    if (!opener) return { at: token.start, message: `This ${token.text} closes nothing` };
    if (opener.text !== partners[token.text]) {
      return { at: token.start, message: `This ${token.text} does not close ${opener.text}` };
    }
  }
  const left = open.at(-1);
  return left && { at: left.start, message: `This ${left.text} is not closed` };
};

/** `!` and `%` may stand behind their operand, `*` alone; `-` may leave out a bound of a slice. */
const needsRightSide = (token: Token, next: Token | undefined): boolean => {
  if (token.kind === 'word') return trailingWords.has(token.text);
  if (token.kind !== 'operator' || selfSufficient.has(token.text)) return false;
  return !(token.text === '-' && next?.text === ']');
};

const selfSufficient: ReadonlySet<string> = new Set(['!', '%', '*', '?']);

const trailingWords: ReadonlySet<string> = new Set([
  'and',
  'or',
  'not',
  'in',
  'when',
  'then',
  'else',
]);

const leadingSigns: ReadonlySet<string> = new Set([
  ...['/', '//', '%', '=', '==', '<', '>', '<=', '>=', '<>', '!=', '||', '|', '&', '&&', '^', '->'],
  ...['->>', 'and', 'or'],
]);

const ends = (token: Token | undefined): boolean =>
  token === undefined || ['close', 'comma', 'semicolon'].includes(token.kind);

const begins = (token: Token | undefined): boolean =>
  token === undefined || ['open', 'comma'].includes(token.kind);

/** Behind a dot, or before a colon, any word is a name. */
const isName = (tokens: readonly Token[], index: number): boolean =>
  tokens[index]?.kind === 'word' &&
  (tokens[index - 1]?.text === '.' || tokens[index + 1]?.text.startsWith(':') === true);

const sides = (tokens: readonly Token[]): Finding | undefined => {
  for (const [index, token] of tokens.entries()) {
    if (isName(tokens, index)) continue;
    const [before, next] = [tokens[index - 1], tokens[index + 1]];
    const shown = token.text.toUpperCase();
    if (ends(next) && needsRightSide(token, next)) {
      return { at: token.start, message: `Nothing follows ${shown}` };
    }
    if (begins(before) && leadingSigns.has(token.text)) {
      return { at: token.start, message: `Nothing stands before ${shown}` };
    }
    if (token.kind === 'comma' && (before === undefined || before.kind === 'comma')) {
      return { at: token.start, message: 'Nothing stands before this comma' };
    }
  }
  return undefined;
};

const cases = (tokens: readonly Token[]): Finding | undefined => {
  const open: Token[] = [];
  for (const [index, token] of tokens.entries()) {
    if (token.kind !== 'word' || isName(tokens, index)) continue;
    if (token.text === 'case') open.push(token);
    if (token.text === 'end') open.pop();
  }
  const left = open.at(-1);
  return left && { at: left.start, message: 'This CASE has no END' };
};

const empty = (tokens: readonly Token[]): Finding | undefined =>
  tokens.length === 0 ? { at: 0, message: 'There is nothing here' } : undefined;

const oneExpression = (tokens: readonly Token[]): Finding | undefined => {
  const token = tokens.find(({ kind }) => kind === 'semicolon');
  return token && { at: token.start, message: 'An expression has no semicolon' };
};

const beginnings: ReadonlySet<string> = new Set([
  ...['select', 'with', 'from', 'values', 'table', 'pivot', 'unpivot', '('],
]);

const oneQuery = (tokens: readonly Token[]): Finding | undefined => {
  const [first] = tokens;
  if (first && !beginnings.has(first.text)) {
    return { at: first.start, message: 'A query begins with SELECT or WITH' };
  }
  const next = tokens.find((_token, index) => tokens[index - 1]?.kind === 'semicolon');
  return next && { at: next.start, message: 'There is more than one statement' };
};

const problemOf = (
  text: string,
  checks: readonly ((tokens: readonly Token[]) => Finding | undefined)[],
): SqlProblem | undefined => {
  if (text.length > mostCharacters) {
    return { line: 1, column: 1, message: `This is longer than ${mostCharacters} characters` };
  }
  const tokens = tokensOf(text);
  for (const check of [empty, unending, brackets, ...checks]) {
    const found = check(tokens);
    if (found) return { ...placeOf(text, found.at), message: found.message };
  }
  return undefined;
};

export const expressionProblem = (text: string): SqlProblem | undefined =>
  problemOf(text, [oneExpression, sides, cases]);

/** For queries in DuckDB's or PostgreSQL's SQL. */
export const queryProblem = (text: string): SqlProblem | undefined =>
  problemOf(text, [oneQuery, sides, cases]);
