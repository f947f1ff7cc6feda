import type { CutPage } from './page.js';

/**
 * How answers are dressed. The family is the one of the interface specification; `bare` and `raw`
 * answers belong to a family by their route but wear none of its dress.
 */
export type Envelope =
  | { family: 'A'; kind: 'list'; meta?: 'total' | 'cursor' }
  | { family: 'B'; kind: 'one' | 'list'; type: string }
  | { family: 'C'; kind: 'list'; meta?: 'page' }
  | { family: 'A' | 'C' | 'iceberg'; kind: 'one' }
  | { family: Family; kind: 'empty' }
  | { family: Family; kind: 'bare' }
  | { family: Family; kind: 'raw'; contentType: string };

type Family = 'A' | 'B' | 'C' | 'iceberg';

/** What a handler of family B gives: the id apart, attributes in snake_case. */
export interface Entity<Attributes> {
  id: string;
  attributes: Attributes;
}

/** Dresses one value; for lists, one page. */
export interface Dress {
  one: (value: unknown) => unknown;
  list: (page: CutPage) => unknown;
}

const pageMeta = ({ limit, cursor }: CutPage) => ({ page: { limit, cursor } });

/** A list that shows no paging says where it goes on only to a caller who asked for pages. */
const askedCursor = ({ asked, cursor }: CutPage) => (asked ? { cursor } : {});

const a = (meta: 'total' | 'cursor' | undefined): Dress => ({
  one: (value) => value,
  list: (page) => {
    if (meta === 'cursor') return { data: page.items, meta: { cursor: page.cursor } };
    if (meta === 'total') {
      return { data: page.items, meta: { total: page.total, ...askedCursor(page) } };
    }
    return page.asked ? { data: page.items, meta: { cursor: page.cursor } } : { data: page.items };
  },
});

const b = (type: string): Dress => {
  const dress = (value: unknown) => {
    const { id, attributes } = value as Entity<unknown>;
    return { id, type, attributes };
  };
  return {
    one: (value) => ({ data: dress(value) }),
    list: (page) => ({ data: page.items.map(dress), meta: pageMeta(page) }),
  };
};

const c = (meta: 'page' | undefined): Dress => ({
  one: (value) => ({ data: value }),
  list: (page) =>
    meta === 'page' || page.asked
      ? { data: page.items, meta: pageMeta(page) }
      : { data: page.items },
});

const bare: Dress = { one: (value) => value, list: (page) => page.items };

export const dressFor = (envelope: Envelope): Dress => {
  if (envelope.kind === 'bare' || envelope.kind === 'raw' || envelope.kind === 'empty') return bare;
  switch (envelope.family) {
    case 'A':
      return a(envelope.kind === 'list' ? envelope.meta : undefined);
    case 'B':
      return b(envelope.type);
    case 'C':
      return c(envelope.kind === 'list' ? envelope.meta : undefined);
    case 'iceberg':
      return bare;
  }
};
