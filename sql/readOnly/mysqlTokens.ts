/**
 * What a MySQL or MariaDB server takes a text for, piece by piece. Where that hangs on settings of the
 * server, or where a comment may be code, the text is refused: nobody could say what would run.
 */
import { placeOf } from '../place.js';
import { SqlRefusal } from '../refusal.js';

export interface Token {
  kind: 'word' | 'quotedName' | 'text' | 'number' | 'sign';
  /** Words in capitals, of ASCII only, as the server compares them; signs one by one. */
  text: string;
  at: number;
}

const patterns: readonly (readonly [Token['kind'] | 'space', RegExp])[] = [
  ['space', /[ \t\r\n\f\v]+|#[^\n]*|--(?=[ \t\r\n\f\v]|$)[^\n]*|\/\*[^]*?\*\//y],
  ['text', /'(?:[^'\\]|''|\\[^])*'|"(?:[^"\\]|""|\\[^])*"/y],
  ['quotedName', /`(?:[^`]|``)+`/y],
  [
    'number',
    /(?:0[xX][0-9a-fA-F]+|\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)(?![\w$])/y,
  ],
  ['word', /[A-Za-z_\u0080-\uffff$][\w\u0080-\uffff$]*/y],
  ['sign', /[-+*/%=<>!&|^~(),.;]/y],
];

/** Whether a quote or a backslash ends the text hangs on NO_BACKSLASH_ESCAPES and ANSI_QUOTES. */
const ambiguousText = /\\['"`]/;

const capitals = (word: string): string =>
  word.replace(/[a-z]+/g, (letters) => letters.toUpperCase());

const refuse = (sql: string, at: number, message: string): never => {
  throw new SqlRefusal(message, placeOf(sql, at));
};

export const mysqlTokens = (sql: string): readonly Token[] => {
  const tokens: Token[] = [];
  for (let at = 0; at < sql.length;) {
    const start = at;
    const found = patterns.find(([, pattern]) => {
      pattern.lastIndex = start;
      return pattern.test(sql);
    });
    if (!found)
      return refuse(sql, at, `it holds ${JSON.stringify(sql.charAt(at))}, which queries may not`);
    if (sql.startsWith('/*', at) && found[0] === 'sign') refuse(sql, at, 'a comment has no end');
    const [kind, pattern] = found;
    at = pattern.lastIndex;
    const text = sql.slice(start, at);
    if (kind === 'space') {
      if (/^\/\*M?[!+]/.test(text)) refuse(sql, start, 'comments that the server runs are refused');
      if (/^\/\*.*\/\*/s.test(text)) refuse(sql, start, 'a comment within a comment is refused');
      continue;
    }
    if (kind === 'text' && ambiguousText.test(text.replaceAll('\\\\', ''))) {
      refuse(sql, start, 'write a quote within a text twice instead of behind a backslash');
    }
    tokens.push({ kind, text: kind === 'word' ? capitals(text) : text, at: start });
  }
  return tokens;
};
