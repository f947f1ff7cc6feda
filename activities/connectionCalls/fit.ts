import { cutText } from '../../core/browse.js';
import type { NamePage, Rows } from '../../core/browse.js';

/** An answer may be 10 MiB; some is left for what is around its items. */
const mostBytes = 8 * 1024 * 1024;

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value)) + 1;

/** How many of them, from the first one, go into one answer. */
const fitting = (items: readonly unknown[]): number => {
  let bytes = 0;
  const over = items.findIndex((item) => (bytes += bytesOf(item)) > mostBytes);
  return over < 0 ? items.length : over;
};

/** As much of a page as goes into one answer; the rest is on the next one. */
export const fitPage = <Item extends { name: string }>(page: NamePage<Item>): NamePage<Item> => {
  const fits = Math.max(1, fitting(page.items));
  if (fits >= page.items.length) return page;
  const items = page.items.slice(0, fits);
  return { items, next: items.at(-1)?.name ?? null };
};

export const fitRows = (rows: Rows): Rows => {
  const fits = fitting(rows.rows);
  return fits === rows.rows.length
    ? rows
    : { ...rows, rows: rows.rows.slice(0, fits), truncated: true };
};

/** Comments may be of any length. */
export const withShortComment = <Item extends { comment: string | null }>(item: Item): Item =>
  item.comment === null ? item : { ...item, comment: cutText(item.comment).cell };
