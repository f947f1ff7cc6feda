/**
 * What users' queries may say before a MySQL or MariaDB server sees them. Stored functions are called
 * with brackets, and all that a query may do beyond reading has words of its own; both are looked
 * for in every piece of the text, whatever it is nested in.
 */
import { isStorableText } from '../../core/text.js';
import { mostCharacters } from '../limits.js';
import { placeOf } from '../place.js';
import { SqlRefusal } from '../refusal.js';
import { mysqlFunctions, mysqlRefusedWords, mysqlWordsBeforeBrackets } from './mysqlFunctions.js';
import { mysqlTokens } from './mysqlTokens.js';
import type { Token } from './mysqlTokens.js';

const isSign = (token: Token | undefined, text: string): boolean =>
  token?.kind === 'sign' && token.text === text;

const isWord = (token: Token | undefined, ...texts: readonly string[]): boolean =>
  token?.kind === 'word' && texts.includes(token.text);

const closingOf = (tokens: readonly Token[], opening: number): number => {
  let depth = 0;
  for (let index = opening; index < tokens.length; index++) {
    if (isSign(tokens[index], '(')) depth++;
    if (isSign(tokens[index], ')')) depth--;
    if (depth === 0) return index;
  }
  return tokens.length;
};

/** `WITH name (columns) AS (`, or `AS name (columns)`: a name that is given, not one that is called. */
const givesName = (tokens: readonly Token[], name: number): boolean => {
  if (isWord(tokens[name - 1], 'AS')) return true;
  const closing = closingOf(tokens, name + 1);
  const begins = isWord(tokens[name - 1], 'WITH', 'RECURSIVE') || isSign(tokens[name - 1], ',');
  return begins && isWord(tokens[closing + 1], 'AS') && isSign(tokens[closing + 2], '(');
};

const mayOpenBracket = (tokens: readonly Token[], index: number): boolean => {
  const token = tokens[index];
  if (token?.kind !== 'word' && token?.kind !== 'quotedName') return true;
  if (givesName(tokens, index)) return true;
  if (token.kind === 'quotedName' || isSign(tokens[index - 1], '.')) return false;
  return mysqlFunctions.has(token.text) || mysqlWordsBeforeBrackets.has(token.text);
};

const isRefusedWord = (tokens: readonly Token[], index: number): boolean => {
  const token = tokens[index];
  // Behind a dot it is the name of a column.
  if (token?.kind !== 'word' || isSign(tokens[index - 1], '.')) return false;
  if (token.text === 'SET') return !isWord(tokens[index - 1], 'CHARACTER', 'CHAR');
  // NEXT VALUE FOR, PREVIOUS VALUE FOR: the first of them counts a sequence up.
  if (token.text === 'SHARE') return isWord(tokens[index - 1], 'FOR');
  if (token.text === 'FOR') return isWord(tokens[index - 1], 'VALUE');
  return mysqlRefusedWords.has(token.text);
};

export const checkMysqlQuery = (text: string): void => {
  if (text.length > mostCharacters) {
    throw new SqlRefusal(`it is longer than ${mostCharacters} characters`);
  }
  if (!isStorableText(text)) throw new SqlRefusal('it has characters that are not valid text');
  const all = mysqlTokens(text);
  const tokens = isSign(all.at(-1), ';') ? all.slice(0, -1) : all;
  const first = tokens.find((token) => !isSign(token, '('));
  if (!isWord(first, 'SELECT', 'WITH', 'VALUES', 'TABLE')) {
    throw new SqlRefusal('it is not a query: only SELECT, VALUES, TABLE and WITH can be run');
  }
  for (const [index, token] of tokens.entries()) {
    const refuse = (message: string): never => {
      throw new SqlRefusal(message, placeOf(text, token.at));
    };
    if (isSign(token, ';')) refuse('it is more than one statement');
    if (isRefusedWord(tokens, index)) refuse(`queries may not say ${token.text}`);
    if (isSign(tokens[index + 1], '(') && !mayOpenBracket(tokens, index)) {
      refuse(`it calls ${token.text}(), which is not an allowed function`);
    }
  }
};
