import { makeGlob } from '../../../engine/files/glob.js';

it.each([
  [
    'a/*.csv',
    ['a/x.csv', 'a/.csv'.replace('.csv', 'b.csv')],
    ['a/b/x.csv', 'x.csv', 'a/.x.csv', 'a/xcsv'],
  ],
  ['**/*.csv', ['x.csv', 'a/x.csv', 'a/b/x.csv'], ['.a/x.csv', 'a/.b/x.csv', 'a/.x.csv']],
  ['a/**', ['a/x', 'a/b/c'], ['a', 'b/x', 'a/.x', 'a/.b/c']],
  ['a/', ['a/x', 'a/b/c'], ['a', 'ab']],
  ['a/**/z', ['a/z', 'a/b/z', 'a/b/c/z'], ['az', 'a/bz', 'a/b/zz']],
  ['a**b', ['ab', 'axb'], ['a/b']],
  ['?.[ab-d]', ['x.a', 'é.c', '😀.d'], ['x.e', '/.a', 'x.-', 'xx.a']],
  ['[!a]x', ['bx'], ['ax', '/x']],
  ['{a,b{1,2}}/{x,}y', ['a/xy', 'b1/y', 'b2/xy'], ['b/y', 'a/x']],
  ['.fluxline/*', ['.fluxline/x'], ['fluxline/x']],
  ['a+(b).csv', ['a+(b).csv'], ['aab.csv', 'abxcsv']],
])('%s', (pattern, yes, no) => {
  const glob = makeGlob(pattern);
  for (const key of yes) {
    expect([key, glob.matches(key)]).toEqual([key, true]);
    expect(key.startsWith(glob.prefix)).toBe(true);
  }
  for (const key of no) expect([key, glob.matches(key)]).toEqual([key, false]);
});

it.each(['', '/a', '../a', 'a/../b', 'a/./b', 'a//b', 'a\0b', 'a{b', 'a[b'])(
  'refuses %j',
  (path) => {
    expect(() => makeGlob(path)).toThrow();
  },
);

it('refuses more alternatives than anybody writes', () => {
  expect(() => makeGlob('{a,b}'.repeat(20))).toThrow('too many alternatives');
});

it('takes no longer for patterns that look for trouble', () => {
  const glob = makeGlob(`${'*a'.repeat(60)}*b`);
  expect(glob.matches('a'.repeat(1000))).toBe(false);
  expect(makeGlob(`${'**/'.repeat(60)}b`).matches('a/'.repeat(500) + 'c')).toBe(false);
});
