/** Which page comes after which. */
import { createHash } from 'node:crypto';
import { RunFailure } from '../../core/failures.js';
import { parsePath } from '../../core/jsonText.js';
import { defaultMaxPages } from '../../core/nodes/pagination.js';
import type { Pagination } from '../../core/nodes/pagination.js';
import { wordAt } from './records.js';
import type { PageRecords } from './records.js';

/** What of a source is read by its offsets; all there is without. */
export interface Stretch {
  from: number;
  to?: number;
}

/** Parameters on top of the node's own, or another address altogether. */
export type Turn = { params: Readonly<Record<string, string>> } | { link: string };

export interface PageAnswer extends PageRecords {
  page: Buffer;
  /** The `Link` header. */
  links: string | undefined;
}

const refused = (message: string): RunFailure =>
  new RunFailure({ code: 'config_invalid', class: 'config', message });

const nextIn = (links: string | undefined): string | undefined => {
  for (const [, address, rest = ''] of (links ?? '').matchAll(/<([^>]*)>([^<]*)/g)) {
    if (/;\s*rel\s*=\s*("[^"]*\bnext\b[^"]*"|next\b)/i.test(rest)) return address;
  }
  return undefined;
};

const sizeOf = ({ sizeParam, pageSize }: Pagination): Record<string, string> =>
  sizeParam === undefined || pageSize === undefined ? {} : { [sizeParam]: String(pageSize) };

/** Asks for the first page, and then, with what each page says, for the next one until none is left. */
export interface Pager {
  first(): Turn;
  next(answer: PageAnswer): Turn | undefined;
}

const alone: Pager = { first: () => ({ params: {} }), next: () => undefined };

const byNumber = (pagination: Pagination & { type: 'page' }): Pager => {
  const { param = 'page', firstPage = 1 } = pagination;
  let number = firstPage;
  const turn = (): Turn => ({ params: { [param]: String(number), ...sizeOf(pagination) } });
  return {
    first: turn,
    next: ({ count }) => {
      number += 1;
      return count === 0 ? undefined : turn();
    },
  };
};

const byOffset = (
  { param = 'offset', sizeParam = 'limit', pageSize, totalPath }: Pagination & { type: 'offset' },
  { from, to = Infinity }: Stretch,
): Pager => {
  let at = from;
  const wanted = (): number => Math.min(pageSize, to - at);
  const turn = (): Turn => ({ params: { [param]: String(at), [sizeParam]: String(wanted()) } });
  return {
    first: turn,
    next: ({ count, page }) => {
      if (count > wanted() && to !== Infinity) {
        throw refused(
          `The API answers with more records than it was asked for: check sizeParam (${sizeParam}).`,
        );
      }
      at += count;
      const total = totalPath === undefined ? undefined : wordAt(page, parsePath(totalPath));
      const end = Math.min(to, to === Infinity ? Number(total ?? Infinity) : to);
      return count === 0 || at >= end ? undefined : turn();
    },
  };
};

const byCursor = (pagination: Pagination & { type: 'cursor' }): Pager => {
  const { param = 'cursor', cursorPath, lastRecordPath } = pagination;
  const cursorOf = ({ page, last }: PageAnswer): string | undefined => {
    if (lastRecordPath !== undefined) return last && wordAt(last, parsePath(lastRecordPath));
    return wordAt(page, parsePath(cursorPath ?? ''));
  };
  return {
    first: () => ({ params: sizeOf(pagination) }),
    next: (answer) => {
      const cursor = cursorOf(answer);
      return cursor === undefined
        ? undefined
        : { params: { ...sizeOf(pagination), [param]: cursor } };
    },
  };
};

const byLink = (pagination: Pagination & { type: 'link' }): Pager => ({
  first: () => ({ params: sizeOf(pagination) }),
  next: ({ page, links }) => {
    const { nextPath } = pagination;
    const link = nextPath === undefined ? nextIn(links) : wordAt(page, parsePath(nextPath));
    return link === undefined ? undefined : { link };
  },
});

const pagerOf = (pagination: Pagination | undefined, stretch: Stretch): Pager => {
  switch (pagination?.type) {
    case undefined:
      return alone;
    case 'page':
      return byNumber(pagination);
    case 'offset':
      return byOffset(pagination, stretch);
    case 'cursor':
      return byCursor(pagination);
    case 'link':
      return byLink(pagination);
  }
};

const marksOf = (turn: Turn, { page, count }: PageAnswer): string[] => {
  const hash = (text: string | Buffer): string =>
    createHash('sha256').update(text).digest('base64');
  // An API that does not know the parameter answers with the same page for ever.
  return [hash(JSON.stringify(turn)), ...(count > 0 ? [hash(page)] : [])];
};

/** Pages that go round in a circle fail, and so does a source that has no end. */
export const makePager = (pagination: Pagination | undefined, stretch: Stretch): Pager => {
  const pager = pagerOf(pagination, stretch);
  const most = pagination?.maxPages ?? defaultMaxPages;
  const seen = new Set<string>();
  let pages = 0;
  return {
    first: () => pager.first(),
    next: (answer) => {
      pages += 1;
      const turn = pager.next(answer);
      if (turn === undefined) return undefined;
      if (pages >= most) {
        throw refused(`There are more than ${most} pages: raise maxPages, or read less by query.`);
      }
      const marks = marksOf(turn, answer);
      if (marks.some((mark) => seen.has(mark))) {
        throw refused(
          'The API answers with a page that was there before: check the parameters of pagination.',
        );
      }
      for (const mark of marks) seen.add(mark);
      return turn;
    },
  };
};
