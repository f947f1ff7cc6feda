/** SQL as DuckDB and PostgreSQL cut it into words. For warnings only: what counts is their parser. */

export type TokenKind =
  | 'word'
  | 'name'
  | 'text'
  | 'number'
  | 'operator'
  | 'open'
  | 'close'
  | 'comma'
  | 'semicolon'
  | 'other'
  /** A text, name or comment that nothing ends. */
  | 'unending';

export interface Token {
  kind: TokenKind;
  /** As written; words in lower case. */
  text: string;
  /** In UTF-16 units. */
  start: number;
  end: number;
}

const blank = /[\s\u200b\ufeff]+/y;
const lineComment = /--[^\r\n]*/y;
const escapedText = /[eE]'(?:[^'\\]|\\[\s\S]|'')*'/y;
const plainText = /(?:[xXbB])?'[^']*(?:''[^']*)*'/y;
const quotedName = /"[^"]*(?:""[^"]*)*"/y;
const dollar = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y;
const number = /(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?/y;
const word = /[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*/y;
const operator = /[+\-*/<>=~!@#%^&|`?]+/y;

const matched = (pattern: RegExp, text: string, at: number): string | undefined => {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
};

/** Comments nest. Undefined if nothing ends it. */
const endOfComment = (text: string, at: number): number | undefined => {
  let depth = 0;
  for (const { 0: mark, index } of text.slice(at).matchAll(/\/\*|\*\//g)) {
    depth += mark === '/*' ? 1 : -1;
    if (depth === 0) return at + index + mark.length;
  }
  return undefined;
};

const endOfDollar = (text: string, at: number, tag: string): number | undefined => {
  const end = text.indexOf(tag, at + tag.length);
  return end < 0 ? undefined : end + tag.length;
};

/** An operator ends where a comment begins. */
const operatorAt = (text: string, at: number): string | undefined => {
  const run = matched(operator, text, at);
  const comment = run?.search(/--|\/\*/) ?? -1;
  return comment > 0 ? run?.slice(0, comment) : run;
};

const marks: ReadonlyMap<string, TokenKind> = new Map<string, TokenKind>([
  ...['(', '[', '{'].map((mark) => [mark, 'open'] as const),
  ...[')', ']', '}'].map((mark) => [mark, 'close'] as const),
  [',', 'comma'],
  [';', 'semicolon'],
]);

const tokenAt = (text: string, start: number): Token => {
  const token = (kind: TokenKind, length: number): Token => {
    const end = start + length;
    const written = text.slice(start, end);
    return { kind, text: kind === 'word' ? written.toLowerCase() : written, start, end };
  };
  const toTheEnd = (): Token => token('unending', text.length - start);
  const quoted = matched(escapedText, text, start) ?? matched(plainText, text, start);
  if (quoted !== undefined) return token('text', quoted.length);
  const name = matched(quotedName, text, start);
  if (name !== undefined) return token('name', name.length);
  if (/^(?:[eExXbB]?'|")/.test(text.slice(start, start + 2))) return toTheEnd();
  const tag = matched(dollar, text, start);
  if (tag !== undefined) {
    const end = endOfDollar(text, start, tag);
    return end === undefined ? toTheEnd() : token('text', end - start);
  }
  const digits = matched(number, text, start);
  if (digits !== undefined) return token('number', digits.length);
  const letters = matched(word, text, start);
  if (letters !== undefined) return token('word', letters.length);
  const sign = operatorAt(text, start);
  if (sign !== undefined) return token('operator', sign.length);
  const mark = text.slice(start, start + 1);
  return token(marks.get(mark) ?? 'other', 1);
};

/** Blanks and comments are left out; an unending one of them is the last token. */
export const tokensOf = (text: string): readonly Token[] => {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const skipped = matched(blank, text, at) ?? matched(lineComment, text, at);
    if (skipped !== undefined) {
      at += skipped.length;
      continue;
    }
    if (text.startsWith('/*', at)) {
      const end = endOfComment(text, at);
      if (end === undefined) {
        tokens.push({ kind: 'unending', text: '/*', start: at, end: text.length });
        break;
      }
      at = end;
      continue;
    }
    const token = tokenAt(text, at);
    tokens.push(token);
    at = token.end;
  }
  return tokens;
};

/** A statement may end in a semicolon; a part of another one may not. */
export const withoutSemicolon = (text: string): string => {
  const last = tokensOf(text).at(-1);
  return last?.kind === 'semicolon' ? text.slice(0, last.start) : text;
};
