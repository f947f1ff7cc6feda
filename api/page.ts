import { createHash } from 'node:crypto';
import { AppError } from '../core/errors.js';
import type { Issue } from '../core/errors.js';
import type { PageRequest } from '../db/keyset.js';
import { isUuid } from './validate.js';
import { isStorable } from './wireText.js';

/**
 * How a list is cut. `keyset`: the repository reads one page. `all`: the handler gives everything,
 * and it is cut here only for a caller who asks for pages.
 */
export type PageSpec = KeysetSpec | AllSpec;

export interface KeysetSpec {
  kind: 'keyset';
  /** Page size of a caller who names none; 50 unless the spec says otherwise. */
  default?: number;
  /** What tells rows apart: ids, or texts such as names. */
  position?: 'uuid' | 'text';
}

interface AllSpec {
  kind: 'all';
  /** The field that tells items apart. */
  key?: string;
}

/** What a keyset handler gives back. */
export interface PageOf<Item> {
  items: readonly Item[];
  /** Position to continue after; null on the last page. */
  next: string | null;
  /** All matches, where the envelope shows them. */
  total?: number;
}

const usualSize = 50;
const largestSize = 100;
const everything = 10_000;
const longestPosition = 1_000;
const cursorVersion = 1;
const digits = /^[0-9]{1,20}$/;

/** What a cursor belongs to: one route, one workspace, one set of filters. */
export interface PageSubject {
  route: string;
  workspaceId: string;
  filter: unknown;
}

export interface AskedPage {
  request: PageRequest;
  /** Whether the caller asked for pages, by a limit or a cursor. */
  asked: boolean;
  subject: PageSubject;
}

const hashOf = ({ workspaceId, filter }: PageSubject): string =>
  createHash('sha256')
    .update(JSON.stringify([workspaceId, filter]))
    .digest('base64url')
    .slice(0, 16);

const encodeCursor = (subject: PageSubject, id: string): string =>
  Buffer.from(
    JSON.stringify({ v: cursorVersion, route: subject.route, filterHash: hashOf(subject), id }),
  ).toString('base64url');

const invalidCursor = (): AppError =>
  new AppError('invalid_cursor', 'This cursor was not handed out for this list and its filters.', {
    errors: [{ pointer: '/cursor', code: 'invalid_cursor', message: 'Start again without it.' }],
  });

const parseCursor = (text: string): unknown => {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
};

const decodeCursor = (text: string, subject: PageSubject, position: 'uuid' | 'text'): string => {
  const value = parseCursor(text);
  if (typeof value !== 'object' || value === null) throw invalidCursor();
  const { v, route, filterHash, id } = value as Readonly<Record<string, unknown>>;
  const ours = v === cursorVersion && route === subject.route && filterHash === hashOf(subject);
  if (!ours || typeof id !== 'string' || id.length > longestPosition || !isStorable(id)) {
    throw invalidCursor();
  }
  if (position === 'uuid' && !isUuid(id)) throw invalidCursor();
  return id;
};

/** Digits above zero; more than the largest page is asked for in good faith and clamped. */
const readLimit = (text: string | undefined, usual: number, issues: Issue[]): number => {
  if (text === undefined) return usual;
  if (digits.test(text) && Number(text) > 0) return Math.min(Number(text), largestSize);
  issues.push({ pointer: '/limit', code: 'range', message: 'Must be a number from 1 up.' });
  return usual;
};

/** Reads `limit` now and `cursor` later, when the filters it must match are known to be valid. */
export const readPage = (
  spec: PageSpec,
  asked: { limit: string | undefined; cursor: string | undefined },
  issues: Issue[],
): ((subject: PageSubject) => AskedPage) => {
  const paged = asked.limit !== undefined || asked.cursor !== undefined;
  const keysetSize = (spec.kind === 'keyset' ? spec.default : undefined) ?? usualSize;
  const usual = paged || spec.kind === 'keyset' ? keysetSize : everything;
  const limit = readLimit(asked.limit, usual, issues);
  const position = spec.kind === 'keyset' ? (spec.position ?? 'uuid') : 'text';
  return (subject) => {
    const after =
      asked.cursor === undefined ? undefined : decodeCursor(asked.cursor, subject, position);
    return {
      request: after === undefined ? { limit } : { limit, after },
      asked: paged,
      subject,
    };
  };
};

export interface CutPage {
  items: readonly unknown[];
  limit: number;
  cursor: string | null;
  total: number | undefined;
  asked: boolean;
}

const keyOf = (item: unknown, key: string): string =>
  String((item as Readonly<Record<string, unknown>>)[key]);

/**
 * The position in a list at hand as a whole is `<items seen>:<key of the last one>`: the key holds
 * while items are added, the count takes over when that item itself is gone.
 */
const cutArray = (
  items: readonly unknown[],
  key: string,
  { request: { limit, after } }: AskedPage,
): PageOf<unknown> => {
  let start = 0;
  if (after !== undefined) {
    const colon = after.indexOf(':');
    const found = items.findIndex((item) => keyOf(item, key) === after.slice(colon + 1));
    start = found >= 0 ? found + 1 : Number(after.slice(0, colon));
    if (colon < 0 || !Number.isSafeInteger(start)) throw invalidCursor();
  }
  const end = start + limit;
  return {
    items: items.slice(start, end),
    next: end < items.length ? `${end}:${keyOf(items[end - 1], key)}` : null,
    total: items.length,
  };
};

export const cutPage = (
  value: PageOf<unknown> | readonly unknown[],
  spec: PageSpec,
  page: AskedPage,
): CutPage => {
  const { items, next, total } =
    'next' in value
      ? value
      : cutArray(value, spec.kind === 'all' ? (spec.key ?? 'id') : 'id', page);
  return {
    items,
    limit: page.request.limit,
    cursor: next === null ? null : encodeCursor(page.subject, next),
    total,
    asked: page.asked,
  };
};
