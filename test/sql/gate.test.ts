import {
  checkExpression,
  checkQuery,
  expressionProbes,
  placeExpression,
  placeQuery,
  queryProbe,
} from '../../sql/gate.js';
import type { CheckedExpression, CheckedQuery } from '../../sql/gate.js';
import { SqlRefusal } from '../../sql/refusal.js';
import { corpus } from './corpora.js';
import { openDuck } from './duck.js';
import type { Duck } from './duck.js';

let duck: Duck;
beforeAll(async () => {
  duck = await openDuck();
});
afterAll(() => {
  duck.close();
});

const inputs = ['t', 'u', 'node_1'];

const expression = async (
  text: string,
  context: 'row' | 'aggregate' = 'row',
): Promise<CheckedExpression> => {
  const [one, other] = expressionProbes(text);
  return checkExpression(text, [await duck.serialize(one), await duck.serialize(other)], context);
};

const query = async (text: string): Promise<CheckedQuery> =>
  checkQuery(text, await duck.serialize(queryProbe(text)), inputs);

const refusalOf = async (work: Promise<unknown>): Promise<SqlRefusal> => {
  const outcome = await work.catch((error: unknown) => error);
  if (!(outcome instanceof SqlRefusal)) throw new Error(`not refused: ${JSON.stringify(outcome)}`);
  return outcome;
};

describe('expressions', () => {
  it.each(corpus('expressions-refused'))('%j is refused', async (text) => {
    const refusal = await refusalOf(expression(text));
    expect(refusal.message).not.toBe('');
  });

  it.each(corpus('expressions-allowed'))('%j is allowed', async (text) => {
    await expect(expression(text)).resolves.toMatchObject({ aggregate: false });
    // In its place it is still one value of a statement that goes on behind it.
    const placed = `SELECT ${placeExpression(text)} AS one, 2 AS other`;
    expect(JSON.parse(await duck.serialize(placed).then(withoutInfinity))).toMatchObject({
      statements: [{ node: { select_list: [{ alias: 'one' }, { alias: 'other' }] } }],
    });
  });

  it.each([
    ['a + order_.id * coalesce("Total", 1)', [['a'], ['order_', 'id'], ['Total']]],
    ['list_transform(items, x -> x + a)', [['items'], ['a']]],
    ['list_reduce(items, (x, y) -> x + y + x.z)', [['items']]],
    ['list_transform(items, lambda x: list_filter(x, lambda y: y > x))', [['items']]],
    ['[x + a for x in items if x > b]', [['items'], ['b'], ['a']]],
    ["data -> 'x' ->> 'y'", [['data']]],
    ['a.upper()', [['a']]],
    ['x + list_sum(list_transform(l, x -> x))', [['x'], ['l']]],
    ["date '2024-01-01'", []],
  ])('%s names its columns', async (text, columns) => {
    const found = await expression(text);
    expect([...found.columns].sort()).toEqual([...columns].sort());
  });

  it.each([
    ['now()', true],
    ['current_date', true],
    ['age(born)', true],
    ['age(dead, born)', false],
    ['a + 1', false],
  ])('%s asks for the time: %s', async (text, moment) => {
    await expect(expression(text)).resolves.toMatchObject({ moment });
  });
});

describe('aggregates', () => {
  it.each([
    'sum(a)',
    'count(*)',
    'count(distinct a) filter (where b > 1)',
    'coalesce(sum(a), 0) / count(*)',
    "string_agg(a, ', ' order by b)",
    'arg_max(a, b)',
    'wavg(a, b)',
  ])('%s aggregates', async (text) => {
    await expect(expression(text, 'aggregate')).resolves.toMatchObject({ aggregate: true });
  });

  it.each([
    ['a + 1', /aggregate something/],
    ['sum(a) over ()', /OVER looks at other rows/],
    ['sum((select 1))', /query cannot be part/],
    ["max(getenv('HOME'))", /getenv/],
    ["sum(a) filter (where getenv('X') = 'a')", /getenv/],
    ["list(a order by getenv('X'))", /getenv/],
    ['max(columns(*))', /one by one/],
    ['count(*), sum(a)', /exactly one expression/],
  ])('%s is refused', async (text, message) => {
    expect((await refusalOf(expression(text, 'aggregate'))).message).toMatch(message);
  });
});

describe('queries', () => {
  it.each(corpus('queries-refused'))('%j is refused', async (text) => {
    const refusal = await refusalOf(query(text));
    expect(refusal.message).not.toBe('');
  });

  it.each(corpus('queries-allowed'))('%j is allowed', async (text) => {
    await expect(query(text)).resolves.toHaveProperty('tables');
    const placed = `SELECT * FROM ${placeQuery(text)} AS placed`;
    expect(JSON.parse(await duck.serialize(placed).then(withoutInfinity))).toMatchObject({
      statements: [{ node: { from_table: { type: 'SUBQUERY', alias: 'placed' } } }],
    });
  });

  it.each([
    ['select * from T join "U" using (id)', ['t', 'u']],
    ['with t as (select * from u) select * from t', ['u']],
    ['select (select max(a) from u) from t', ['t', 'u']],
    ['select 1', []],
  ])('%s reads its tables', async (text, tables) => {
    expect([...(await query(text)).tables].sort()).toEqual(tables);
  });
});

const withoutInfinity = (json: string): string => json.replaceAll(':Infinity', ':0');

describe('refusals', () => {
  it.each([
    ['a +\n  ( b', { line: 2, column: 6 }],
    ['a) or (b', { line: 1, column: 2 }],
    ['\n  getenv(a)', { line: 2, column: 3 }],
    ["'😀é' ||\n '😀' || getenv(a)", { line: 2, column: 9 }],
    ["'😀é' )", { line: 1, column: 6 }],
    ["a || 'never ends", { line: 1, column: 6 }],
  ])('%j say where', async (text, place) => {
    const refusal = await refusalOf(expression(text));
    expect(refusal.place).toEqual(place);
  });

  it('of queries say where', async () => {
    const refusal = await refusalOf(query("select '😀',\n  a from t, other"));
    expect(refusal).toMatchObject({
      message: 'other is not an input of this node',
      place: { line: 2, column: 13 },
    });
  });

  it.each([
    ['random()', /repeated has to give the same/],
    ['sum(a)', /aggregate node/],
    ['unnest(l)', /SQL node/],
  ])('of %s say why', async (text, message) => {
    expect((await refusalOf(expression(text))).message).toMatch(message);
  });

  it.each([
    ['deep calls', `${'abs('.repeat(1500)}1${')'.repeat(1500)}`],
    ['long sums', `${'1 + '.repeat(3000)}1`],
    ['brackets without end', '('.repeat(20_000)],
    ['deep lists', `${'['.repeat(5000)}${']'.repeat(5000)}`],
    ['deep cases', `${'case when a then '.repeat(2000)}1${' end'.repeat(2000)}`],
  ])('come for %s', async (_name, text) => {
    await refusalOf(expression(text));
  });

  it('come for texts that are too long or none', async () => {
    const long = `'${'x'.repeat(64 * 1024)}'`;
    await refusalOf(expression(long));
    await refusalOf(query(`select ${long}`));
    await refusalOf(expression('1 \u0000 + 1'));
    await refusalOf(expression("'\ud800'"));
  });

  it('come for shapes that nobody knows', () => {
    const answer = (node: object): string =>
      JSON.stringify({ error: false, statements: [{ node }] });
    const select = {
      type: 'SELECT_NODE',
      select_list: [
        { class: 'CONSTANT', type: 'VALUE_CONSTANT', value: { type: { id: 'INTEGER' } } },
      ],
      from_table: { type: 'EMPTY' },
      aggregate_handling: 'STANDARD_HANDLING',
    };
    const check = (node: object) => () => checkQuery('', answer(node), []);
    expect(check(select)).not.toThrow();
    expect(check({ ...select, from_table: { type: 'SOMETHING_NEW' } })).toThrow(SqlRefusal);
    expect(check({ ...select, brand_new: { class: 'FUNCTION' } })).toThrow(SqlRefusal);
    expect(check({ ...select, select_list: [{ class: 'NEW' }] })).toThrow(SqlRefusal);
    expect(check({ type: 'NEW_NODE' })).toThrow(SqlRefusal);
    expect(() => checkQuery('', 'not json', [])).toThrow(SqlRefusal);
  });
});
