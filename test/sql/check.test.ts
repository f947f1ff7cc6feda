import { expressionProblem, queryProblem } from '../../sql/check.js';
import { withoutSemicolon } from '../../sql/tokens.js';
import { corpus } from './corpora.js';

describe('what is right is passed over in silence', () => {
  it.each(corpus('expressions-allowed'))('%j', (text) => {
    expect(expressionProblem(text)).toBeUndefined();
  });

  it.each(corpus('queries-allowed'))('%j', (text) => {
    expect(queryProblem(text)).toBeUndefined();
  });

  it.each([
    "SELECT a::text, b @> '{1}' FROM s.t WHERE a ~* '^x' AND b ?| array['x'] FOR UPDATE",
    "select $tag$ it's ( \"here $tag$, E'it\\'s (' from t",
    'select "a""(b" from "t;u" -- ; (',
    'select a /* ( /* [ */ { */ from t',
    'select t.end, t.case, x.and from t',
    "select {'case': 1, 'end': 2}",
  ])('%j', (text) => {
    expect(queryProblem(text)).toBeUndefined();
  });
});

describe('plain mistakes are found where they are', () => {
  it.each([
    ['', 1, 1, 'There is nothing here'],
    ['  -- only this', 1, 1, 'There is nothing here'],
    ['(a + b', 1, 1, 'This ( is not closed'],
    ['a + b)', 1, 6, 'This ) closes nothing'],
    ['coalesce(a,\n  list[1)', 2, 9, 'This ) does not close ['],
    ['a +', 1, 3, 'Nothing follows +'],
    ['a AND\n', 1, 3, 'Nothing follows AND'],
    ['(a or) and b', 1, 4, 'Nothing follows OR'],
    ['f(a ||, b)', 1, 5, 'Nothing follows ||'],
    ['= 1', 1, 1, 'Nothing stands before ='],
    ['a > 1 and (or b)', 1, 12, 'Nothing stands before OR'],
    ["'😀😀' || 'never ends", 1, 9, 'This text is not closed'],
    ['a = "name', 1, 5, 'This quoted name is not closed'],
    ["a = $x$ 'text' $$", 1, 5, 'This text is not closed'],
    ["e'it\\'", 1, 1, 'This text is not closed'],
    ['a /* comment', 1, 3, 'This comment is not closed'],
    ['f(a,, b)', 1, 5, 'Nothing stands before this comma'],
    ['case when a then 1', 1, 1, 'This CASE has no END'],
    ['a\n+ case when b then 1 else', 2, 22, 'Nothing follows ELSE'],
    ['a; b', 1, 2, 'An expression has no semicolon'],
  ])('%j', (text, line, column, message) => {
    expect(expressionProblem(text)).toEqual({ line, column, message });
  });

  it.each([
    ['', 1, 1, 'There is nothing here'],
    ['select (1', 1, 8, 'This ( is not closed'],
    ['select a from t where', undefined, undefined, undefined],
    ['select a from t where a = ', 1, 25, 'Nothing follows ='],
    ['select a,, b from t', 1, 10, 'Nothing stands before this comma'],
    ['select 1;\nselect 2', 2, 1, 'There is more than one statement'],
    ['drop table t', 1, 1, 'A query begins with SELECT or WITH'],
    ["select 'abc", 1, 8, 'This text is not closed'],
  ])('%j', (text, line, column, message) => {
    const expected = line === undefined ? undefined : { line, column, message };
    expect(queryProblem(text)).toEqual(expected);
  });

  it('in texts too long to look at', () => {
    expect(expressionProblem(' '.repeat(64 * 1024 + 1))).toMatchObject({ line: 1, column: 1 });
  });
});

it.each([
  ['select 1;', 'select 1'],
  ['select 1 ; -- done; \n', 'select 1 '],
  ["select ';'", "select ';'"],
  ['select 1 -- ;', 'select 1 -- ;'],
  ['select 1; select 2', 'select 1; select 2'],
])('the last semicolon of %j can be left out', (text, without) => {
  expect(withoutSemicolon(text)).toBe(without);
});
