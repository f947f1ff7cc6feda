import { AppError } from '../core/errors.js';
import type { Issue } from '../core/errors.js';
import { isStorable, pointerStep, unstorableMessage } from './wireText.js';

const deepest = 64;
const longestArray = 10_000;
const mostIssues = 100;

/** Stands for an integer that a double cannot hold, between our text and our walk. */
const longMark = '\0long:';
const digitRun = /\d{16}/;
const numberHere = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const integer = /^-?\d+$/;

const decoder = new TextDecoder('utf-8', { fatal: true });

const malformed = (message: string): AppError => new AppError('malformed_body', message);

/** Checks what JSON Schema cannot say about open values; gives back what to keep in their place. */
class Walk {
  readonly issues: Issue[] = [];
  private readonly path: (string | number)[] = [];

  constructor(private readonly marked: boolean) {}

  visit(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value);
    if (typeof value === 'number') {
      if (!Number.isFinite(value)) this.report('range', 'The number is too large.');
      return value;
    }
    if (typeof value !== 'object' || value === null) return value;
    if (this.path.length === deepest) {
      throw malformed(`The body is nested deeper than ${deepest} levels.`);
    }
    if (Array.isArray(value)) this.array(value);
    else this.object(value as Record<string, unknown>);
    return value;
  }

  private array(items: unknown[]): void {
    if (items.length > longestArray) {
      this.report('too_long', `An array holds at most ${longestArray} items.`);
      return;
    }
    for (let at = 0; at < items.length; at++) {
      this.path.push(at);
      items[at] = this.visit(items[at]);
      this.path.pop();
    }
  }

  private object(fields: Record<string, unknown>): void {
    for (const key of Object.keys(fields)) {
      this.path.push(key);
      if (!isStorable(key)) this.report('text', unstorableMessage);
      const kept = this.visit(fields[key]);
      // Only longs differ; assigning `__proto__` to itself would not be inert.
      if (typeof kept === 'bigint') fields[key] = kept;
      this.path.pop();
    }
  }

  private text(text: string): string | bigint {
    if (this.marked && text.startsWith(longMark)) return BigInt(text.slice(longMark.length));
    if (!isStorable(text)) this.report('text', unstorableMessage);
    return text;
  }

  private report(code: string, message: string): void {
    if (this.issues.length === mostIssues) return;
    const pointer = this.path.map((step) => pointerStep(String(step))).join('');
    this.issues.push({ pointer, code, message });
  }
}

const decode = (bytes: Uint8Array): string => {
  try {
    return decoder.decode(bytes);
  } catch {
    throw malformed('The body is not UTF-8.');
  }
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw malformed('The body is not JSON.');
  }
};

const examine = (value: unknown, marked: boolean): unknown => {
  const walk = new Walk(marked);
  const kept = walk.visit(value);
  if (walk.issues.length === 0) return kept;
  throw new AppError('validation_failed', 'The body holds values that cannot be stored.', {
    errors: walk.issues,
  });
};

const quote = 0x22;
const backslash = 0x5c;

const endOfString = (text: string, start: number): number => {
  let at = start + 1;
  for (let code = text.charCodeAt(at); code !== quote; code = text.charCodeAt(at)) {
    at += code === backslash ? 2 : 1;
  }
  return at + 1;
};

const isNumberStart = (code: number): boolean => code === 0x2d || (code >= 0x30 && code <= 0x39);

/** Writes every integer beyond 2^53 as a marked string. The text is known to be JSON. */
const markLongs = (text: string): string => {
  let marked = '';
  let copied = 0;
  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    else if (isNumberStart(code)) {
      numberHere.lastIndex = at;
      const token = numberHere.exec(text)?.[0] ?? '';
      if (integer.test(token) && !Number.isSafeInteger(Number(token))) {
        marked += `${text.slice(copied, at)}"\\u0000long:${token}"`;
        copied = at + token.length;
      }
      at += token.length;
    } else at += 1;
  }
  return marked + text.slice(copied);
};

/**
 * Bytes to JSON, with everything refused that no route wants: other encodings, NUL and lone
 * surrogates, infinite numbers, deep nesting, huge arrays. Lossless keeps 63-bit integers.
 */
export const parseJson = (bytes: Uint8Array, { lossless }: { lossless: boolean }): unknown => {
  const text = decode(bytes);
  if (!lossless || !digitRun.test(text)) return examine(parse(text), false);
  // What is no JSON unmarked must not become JSON by marking (a long is no key, say).
  const plain = parse(text);
  // A forged mark would be a string with a NUL: such a body is refused before anything is marked.
  if (text.includes('\\u0000')) examine(plain, false);
  return examine(parse(markLongs(text)), true);
};

/** Integers beyond 2^53 are written as they are, neither as strings nor rounded. */
export const stringifyLossless = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'bigint' ? `${longMark}${inner}` : inner,
  ).replace(/"\\u0000long:(-?\d+)"/g, '$1');
