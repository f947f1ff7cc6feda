import { fitPage, fitRows, withShortComment } from '../../activities/connectionCalls/fit.js';

const megabyte = 'x'.repeat(1024 * 1024);

test('a page that is too large ends earlier, and says where the next one begins', () => {
  const items = Array.from({ length: 20 }, (_, index) => ({ name: `n${index}`, text: megabyte }));
  const page = fitPage({ items, next: null });
  expect(page.items.length).toBeGreaterThan(5);
  expect(page.items.length).toBeLessThan(10);
  expect(page.next).toBe(`n${page.items.length - 1}`);
  const small = { items: items.slice(0, 3), next: 'n2' };
  expect(fitPage(small)).toBe(small);
  const huge = {
    items: [
      { name: 'huge', text: megabyte.repeat(9) },
      { name: 'z', text: '' },
    ],
  };
  expect(fitPage({ ...huge, next: null })).toMatchObject({
    items: [{ name: 'huge' }],
    next: 'huge',
  });
});

test('rows that are too many say so', () => {
  const rows = Array.from({ length: 12 }, () => [megabyte]);
  const fitted = fitRows({ columns: [{ name: 'c', type: 'text' }], rows, truncated: false });
  expect(fitted.truncated).toBe(true);
  expect(fitted.rows.length).toBeLessThan(9);
  const few = { columns: [], rows: [[1]], truncated: false };
  expect(fitRows(few)).toBe(few);
});

test('comments are cut like cells', () => {
  expect(withShortComment({ comment: 'y'.repeat(5_000) }).comment).toHaveLength(4_096);
  const none = { comment: null };
  expect(withShortComment(none)).toBe(none);
});
