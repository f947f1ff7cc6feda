/**
 * JSON as bytes: where its values stand, so that they can be passed on as they were written. Numbers
 * keep all their digits that way, and nothing is decoded that nobody asks for. What stands between
 * brackets is only looked at where a path leads; whoever reads a value finds out whether it is one.
 */

/** From `from` up to but without `to`. */
export interface Span {
  from: number;
  to: number;
}

export type Member = Span & { name: string };

/** The text is no JSON. */
export class JsonFlaw extends Error {
  override readonly name = 'JsonFlaw';
}

const signOf = (text: string): number => text.charCodeAt(0);
export const quote = signOf('"');
const backslash = signOf('\\');
const comma = signOf(',');
const colon = signOf(':');
const brace = signOf('{');
const bracket = signOf('[');

/** In ASCII both kinds of bracket are closed by the sign two places on. */
const isOpening = (sign: number | undefined): sign is number => sign === brace || sign === bracket;
const closing = (sign: number): number => sign + 2;
const isClosing = (sign: number): boolean => isOpening(sign - 2);

const flawAt = (at: number): JsonFlaw => new JsonFlaw(`no JSON at byte ${at}`);

export const skipBlank = (text: Uint8Array, at: number): number => {
  let to = at;
  for (; to < text.length; to += 1) {
    const sign = text[to];
    if (sign !== 0x20 && sign !== 0x0a && sign !== 0x0d && sign !== 0x09) break;
  }
  return to;
};

const isEscaped = (text: Uint8Array, at: number): boolean => {
  let before = at - 1;
  while (text[before] === backslash) before -= 1;
  return (at - before) % 2 === 0;
};

/** Behind the string whose opening quote is at `at`. */
export const skipString = (text: Uint8Array, at: number): number => {
  let end = at;
  do {
    end = text.indexOf(quote, end + 1);
    if (end < 0) throw flawAt(at);
  } while (isEscaped(text, end));
  return end + 1;
};

/** Numbers, `true`, `false`, `null`, and what is none of them. */
const skipWord = (text: Uint8Array, at: number): number => {
  let to = at;
  for (; to < text.length; to += 1) {
    const sign = text[to] ?? 0;
    const letter = sign | 0x20;
    const word =
      (sign >= 0x30 && sign <= 0x39) ||
      (letter >= 0x61 && letter <= 0x7a) ||
      sign === 0x2d ||
      sign === 0x2b ||
      sign === 0x2e;
    if (!word) break;
  }
  if (to === at) throw flawAt(at);
  return to;
};

const skipContainer = (text: Uint8Array, at: number): number => {
  const open: number[] = [];
  for (let to = at; to < text.length; to += 1) {
    const sign = text[to] ?? 0;
    if (sign === quote) to = skipString(text, to) - 1;
    else if (isOpening(sign)) open.push(closing(sign));
    else if (isClosing(sign)) {
      if (open.pop() !== sign) throw flawAt(to);
      if (open.length === 0) return to + 1;
    }
  }
  throw flawAt(text.length);
};

/** The value that begins at or behind `at`, blanks left aside. */
export const valueFrom = (text: Uint8Array, at: number): Span => {
  const from = skipBlank(text, at);
  const sign = text[from];
  if (sign === undefined) throw flawAt(from);
  if (sign === quote) return { from, to: skipString(text, from) };
  return { from, to: isOpening(sign) ? skipContainer(text, from) : skipWord(text, from) };
};

const decoder = new TextDecoder();

const nameIn = (text: Uint8Array, { from, to }: Span): string => {
  try {
    return String(JSON.parse(decoder.decode(text.subarray(from, to))));
  } catch {
    throw flawAt(from);
  }
};

/** What stands between brackets, item by item; `item` answers where the item that begins there ends. */
function* items<Item extends Span>(
  text: Uint8Array,
  at: number,
  item: (at: number) => Item,
): Generator<Item> {
  const closer = closing(text[at] ?? 0);
  let next = skipBlank(text, at + 1);
  if (text[next] === closer) return;
  for (;;) {
    const found = item(next);
    yield found;
    next = skipBlank(text, found.to);
    if (text[next] === closer) return;
    if (text[next] !== comma) throw flawAt(next);
    next += 1;
  }
}

/** The members of the object that begins at `at`. */
export const membersOf = (text: Uint8Array, at: number): Generator<Member> =>
  items(text, at, (next) => {
    const key = valueFrom(text, next);
    if (text[key.from] !== quote) throw flawAt(key.from);
    const between = skipBlank(text, key.to);
    if (text[between] !== colon) throw flawAt(between);
    return { ...valueFrom(text, between + 1), name: nameIn(text, key) };
  });

/** The elements of the array that begins at `at`. */
export const elementsOf = (text: Uint8Array, at: number): Generator<Span> =>
  items(text, at, (next) => valueFrom(text, next));

export const isObjectAt = (text: Uint8Array, at: number): boolean => text[at] === brace;
export const isArrayAt = (text: Uint8Array, at: number): boolean => text[at] === bracket;

const stepFrom = (text: Uint8Array, at: number, step: string): Span | undefined => {
  if (isObjectAt(text, at)) {
    for (const { name, from, to } of membersOf(text, at)) if (name === step) return { from, to };
  } else if (isArrayAt(text, at)) {
    let place = 0;
    for (const element of elementsOf(text, at)) if (String(place++) === step) return element;
  }
  return undefined;
};

/** The value that a path leads to from the one at `at`; undefined where there is none. */
export const valueAt = (
  text: Uint8Array,
  at: number,
  path: readonly string[],
): Span | undefined => {
  let here: Span | undefined = valueFrom(text, at);
  for (const step of path) here = here && stepFrom(text, here.from, step);
  return here;
};

/** `/a/b`, as RFC 6901 points to it, or `a.b`; the empty text is the whole document. */
export const parsePath = (text: string): string[] => {
  if (text === '') return [];
  if (!text.startsWith('/')) return text.split('.');
  const steps = text.slice(1).split('/');
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
};
