import { RunFailure } from '../../core/failures.js';

type Test = (character: string) => boolean;

/** `any`: characters within a part. `deep`: whole parts, none included. */
type Token = { kind: 'one'; test: Test; dot: boolean } | { kind: 'any' } | { kind: 'deep' };

const mostAlternatives = 1000;

const refused = (message: string): RunFailure =>
  new RunFailure({ code: 'config_invalid', class: 'config', message });

/** `a{b,c}` as `ab` and `ac`; braces nest. */
const expand = (pattern: string): string[] => {
  const open = pattern.indexOf('{');
  if (open < 0) return [pattern];
  let depth = 0;
  let start = open + 1;
  const choices: string[] = [];
  for (let at = open; at < pattern.length; at++) {
    const character = pattern[at];
    if (character === '{') depth += 1;
    if (character === '}') depth -= 1;
    if ((character === ',' && depth === 1) || depth === 0) {
      choices.push(pattern.slice(start, at));
      start = at + 1;
    }
    if (depth > 0) continue;
    const found: string[] = [];
    for (const rest of expand(pattern.slice(at + 1))) {
      for (const choice of choices.flatMap(expand)) {
        found.push(pattern.slice(0, open) + choice + rest);
        if (found.length > mostAlternatives) throw refused('The path has too many alternatives.');
      }
    }
    return found;
  }
  throw refused('The path opens a brace { and does not close it.');
};

/** `[a-z]`, `[!a-z]`: its test, and where the pattern goes on. */
const classAt = (pattern: string, open: number): { test: Test; next: number } => {
  const negated = pattern[open + 1] === '!' || pattern[open + 1] === '^';
  const start = open + (negated ? 2 : 1);
  const close = pattern.indexOf(']', start + 1);
  if (close < 0) throw refused('The path opens a bracket [ and does not close it.');
  const ranges: [low: string, high: string][] = [];
  const characters = [...pattern.slice(start, close)];
  for (let at = 0; at < characters.length; at++) {
    const low = characters[at] ?? '';
    const high = characters[at + 1] === '-' ? characters[at + 2] : undefined;
    ranges.push([low, high ?? low]);
    if (high !== undefined) at += 2;
  }
  const within = (character: string): boolean =>
    ranges.some(([low, high]) => low <= character && character <= high);
  return {
    test: (character) => character !== '/' && within(character) !== negated,
    next: close + 1,
  };
};

const tokensOf = (pattern: string): Token[] => {
  const tokens: Token[] = [];
  for (let at = 0; at < pattern.length;) {
    const character = String.fromCodePoint(pattern.codePointAt(at) ?? 0);
    const atPart = at === 0 || pattern[at - 1] === '/';
    if (atPart && pattern.startsWith('**/', at)) {
      tokens.push({ kind: 'deep' });
      at += 3;
    } else if (atPart && pattern.slice(at) === '**') {
      tokens.push({ kind: 'deep' }, { kind: 'any' });
      at += 2;
    } else if (character === '*') {
      if (tokens.at(-1)?.kind !== 'any') tokens.push({ kind: 'any' });
      at += 1;
    } else if (character === '?') {
      tokens.push({ kind: 'one', test: (other) => other !== '/', dot: false });
      at += 1;
    } else if (character === '[') {
      const { test, next } = classAt(pattern, at);
      tokens.push({ kind: 'one', test, dot: false });
      at = next;
    } else {
      tokens.push({ kind: 'one', test: (other) => other === character, dot: character === '.' });
      at += character.length;
    }
  }
  return tokens;
};

/** Follows all ways through the tokens at once: no pattern makes it slow. */
const matcher = (tokens: readonly Token[]): ((key: string) => boolean) => {
  const reach = (places: Set<number>, place: number): void => {
    if (places.has(place)) return;
    places.add(place);
    const token = tokens[place];
    if (token && token.kind !== 'one') reach(places, place + 1);
  };
  return (key) => {
    let places = new Set<number>();
    reach(places, 0);
    let before = '/';
    for (const character of key) {
      const next = new Set<number>();
      // As in a shell, a leading dot has to be spelled out.
      const hidden = character === '.' && before === '/';
      for (const place of places) {
        const token = tokens[place];
        if (!token || (hidden && !(token.kind === 'one' && token.dot))) continue;
        if (token.kind === 'one' && token.test(character)) reach(next, place + 1);
        if (token.kind === 'any' && character !== '/') reach(next, place);
        if (token.kind !== 'deep') continue;
        // Stays within a part, and may end only with it.
        if (character === '/') reach(next, place);
        else next.add(place);
      }
      places = next;
      before = character;
    }
    return places.has(tokens.length);
  };
};

export interface Glob {
  /** What every key that matches begins with. */
  prefix: string;
  /** All keys that match, in order of their bytes, where the path names them in full. */
  keys?: readonly string[];
  matches: (key: string) => boolean;
}

const special = /[*?[{]/;
const wildcard = /[*?[]/;

const inOrder = (keys: readonly string[]): string[] =>
  [...new Set(keys)].sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));

/** A path with `*`, `**`, `?`, `[…]` and `{…,…}`. One that ends in a slash is all below it. */
export const makeGlob = (path: string): Glob => {
  const pattern = path.endsWith('/') ? `${path}**` : path;
  const parts = pattern.split('/');
  if (path === '' || parts.some((part) => ['', '.', '..'].includes(part)) || path.includes('\0')) {
    throw refused(`Not a path within the connection’s directory: ${JSON.stringify(path)}.`);
  }
  const choices = expand(pattern);
  const matchers = choices.map((each) => matcher(tokensOf(each)));
  const literal = pattern.slice(0, Math.max(0, pattern.search(special)));
  return {
    prefix: special.test(pattern) ? literal : pattern,
    ...(wildcard.test(pattern) ? {} : { keys: inOrder(choices) }),
    matches: (key) => matchers.some((matches) => matches(key)),
  };
};
