import type { Step } from '../../../core/plan/stage.js';
import type { DuckDb } from '../../../engine/duckdb/program.js';
import { makeScratch, openDuckDb } from '../duckdb/opened.js';
import type { Scratch } from '../duckdb/opened.js';
import { runSteps, step, table } from './running.js';
import type { Ran, Table } from './running.js';

let duck: DuckDb;
let scratch: Scratch;

beforeAll(async () => {
  duck = openDuckDb();
  scratch = await makeScratch();
});

afterAll(async () => {
  await duck.close();
  await scratch.remove();
});

const run = (tables: Readonly<Record<string, Table>>, ...steps: Step[]): Promise<Ran> =>
  runSteps(duck, scratch.directory, tables, steps);

const messageOf = async (ran: Promise<unknown>): Promise<string> =>
  ran.then(
    () => 'it went well',
    (error: unknown) => (error as Error).message,
  );

const sorted = (rows: readonly (readonly (string | null)[])[]) =>
  [...rows].map((row) => row.join('|')).sort();

const big = '12345678901234567890.10';

const orders = table({ id: 'integer', customer: 'numeric', amount: 'decimal(10,2)' }, [
  ['1', '10', '5.00'],
  ['2', '10.0', '7.50'],
  ['3', '30', '1.00'],
  ['4', null, '2.00'],
]);

const customers = table({ customer: 'bigint', name: 'text', id: 'text' }, [
  ['10', 'Ann', 'x'],
  ['20', 'Bob', 'y'],
]);

describe('join', () => {
  const on = [{ left: 'customer', right: 'customer' }];
  const sides = { left: 'orders', right: 'customers' };
  const join = (kind: string) => run({ orders, customers }, step('join', { kind, on }, sides));

  it('puts left columns first, a key once, and renames what is taken', async () => {
    const ran = await join('inner');
    expect(ran.columns).toEqual([
      ...['id:integer', 'customer:numeric', 'amount:decimal(10,2)', 'name:text', 'id_right:text'],
    ]);
    expect(sorted(ran.rows)).toEqual(['1|10|5.00|Ann|x', '2|10.0|7.50|Ann|x']);
  });

  it.each([
    ['left', ['1|10|5.00|Ann|x', '2|10.0|7.50|Ann|x', '3|30|1.00||', '4||2.00||']],
    ['semi', ['1|10|5.00', '2|10.0|7.50']],
    ['anti', ['3|30|1.00', '4||2.00']],
  ])('knows %s', async (kind, rows) => {
    expect(sorted((await join(kind)).rows)).toEqual(rows);
  });

  it('takes a key from the side that has it', async () => {
    const left = table({ k: 'integer', a: 'text' }, [
      ['1', 'a'],
      ['2', 'b'],
    ]);
    const right = table({ k: 'integer', b: 'text' }, [
      ['2', 'c'],
      ['3', 'd'],
    ]);
    const full = await run(
      { left, right },
      step(
        'join',
        { kind: 'full', on: [{ left: 'k', right: 'k' }] },
        { left: 'left', right: 'right' },
      ),
    );
    expect(sorted(full.rows)).toEqual(['1|a|', '2|b|c', '3||d']);
    expect(full.columns[0]).toBe('k:integer');
    const rightJoin = await run(
      { left, right },
      step(
        'join',
        { kind: 'right', on: [{ left: 'k', right: 'k' }] },
        { left: 'left', right: 'right' },
      ),
    );
    expect(sorted(rightJoin.rows)).toEqual(['2|b|c', '3||d']);
  });

  it('compares numbers of any length exactly', async () => {
    const left = table({ k: 'numeric' }, [[big], ['12345678901234567890.11']]);
    const right = table({ n: 'numeric' }, [['12345678901234567890.100']]);
    const ran = await run(
      { left, right },
      step(
        'join',
        { kind: 'inner', on: [{ left: 'k', right: 'n' }] },
        { left: 'left', right: 'right' },
      ),
    );
    expect(ran.rows).toEqual([[big, '12345678901234567890.100']]);
  });

  it('takes a condition, with l and r for the sides', async () => {
    const condition = 'l.customer = r.customer and\n amount > length(name) + 3';
    const ran = await run({ orders, customers }, step('join', { kind: 'inner', condition }, sides));
    expect(ran.columns).toContain('customer_right:bigint');
    expect(sorted(ran.rows)).toEqual(['2|10.0|7.50|10|Ann|x']);
    const wrong = { kind: 'inner', condition: 'l.customer =\n  r.nobody' };
    expect(await messageOf(run({ orders, customers }, step('join', wrong, sides)))).toMatch(
      /^In condition at line 2, column 3: /,
    );
  });
});

describe('aggregate', () => {
  it('groups equal values however they are written', async () => {
    const config = {
      groupBy: ['customer'],
      aggregates: [
        { name: 'rows', expression: 'count(*)' },
        { name: 'total', expression: 'sum(amount)' },
        { name: 'share', expression: 'max(id) / count(*)' },
      ],
    };
    const ran = await run({ orders }, step('aggregate', config, 'orders'));
    expect(ran.columns).toEqual([
      ...['customer:numeric', 'rows:bigint!', 'total:decimal(38,2)!', 'share:double!'],
    ]);
    expect(sorted(ran.rows)).toEqual(['10|2|12.50|1.0', '30|1|1.00|3.0', '|1|2.00|4.0']);
  });

  it('makes one row of everything, also of nothing', async () => {
    const config = { groupBy: [], aggregates: [{ name: 'n', expression: 'count(id)' }] };
    const empty = { ...orders, rows: [] };
    expect((await run({ orders }, step('aggregate', config, 'orders'))).rows).toEqual([['4']]);
    expect((await run({ orders: empty }, step('aggregate', config, 'orders'))).rows).toEqual([
      ['0'],
    ]);
  });

  it('lets an expression use a column that groups', async () => {
    const config = {
      groupBy: ['id'],
      aggregates: [{ name: 'n', expression: 'sum(amount) + id' }],
    };
    const ran = await run({ orders }, step('aggregate', config, 'orders'));
    expect(sorted(ran.rows)).toEqual(['1|6.00', '2|9.50', '3|4.00', '4|6.00']);
  });

  it('says which expression does not aggregate', async () => {
    const config = { groupBy: [], aggregates: [{ name: 'n', expression: 'sum(amount) + id' }] };
    expect(await messageOf(run({ orders }, step('aggregate', config, 'orders')))).toMatch(
      /^In the expression of n at line 1, column 15: /,
    );
  });
});

describe('union', () => {
  const one = table({ id: 'integer', n: 'numeric' }, [
    ['1', '1.10'],
    ['2', null],
  ]);
  const two = table({ id: 'bigint', n: 'numeric' }, [
    ['1', '1.1'],
    ['9999999999', big],
  ]);

  it('keeps every row, and digits that DuckDB could not', async () => {
    const ran = await run({ one, two }, step('union', {}, ['one', 'two']));
    expect(ran.columns).toEqual(['id:bigint!', 'n:numeric']);
    expect(ran.rows).toEqual([...one.rows, ...two.rows]);
  });

  it('knows equal rows', async () => {
    const ran = await run({ one, two }, step('union', { all: false }, ['one', 'two']));
    expect(sorted(ran.rows)).toEqual(['1|1.1', '2|', `9999999999|12345678901234567890.1`]);
  });

  it('finds columns by name', async () => {
    const three = table({ n: 'integer', x: 'text' }, [['5', 'y']]);
    const ran = await run({ one, three }, step('union', { byName: true }, ['one', 'three']));
    expect(ran.columns).toEqual(['id:integer', 'n:numeric', 'x:text']);
    expect(ran.rows).toEqual([
      ['1', '1.10', null],
      ['2', null, null],
      [null, '5', 'y'],
    ]);
  });

  it('refuses what has no common type or number of columns', async () => {
    const text = table({ id: 'text', n: 'numeric' }, []);
    const narrow = table({ id: 'integer' }, []);
    expect(await messageOf(run({ one, text }, step('union', {}, ['one', 'text'])))).toBe(
      'The column id is integer and text: cast it to one type before.',
    );
    expect(await messageOf(run({ one, narrow }, step('union', {}, ['one', 'narrow'])))).toMatch(
      /^The inputs have 2, 1 columns/,
    );
  });
});

describe('order', () => {
  const rows = table({ k: 'numeric', v: 'integer', t: 'text' }, [
    ['1', '10', 'a'],
    ['1.0', '9', 'b'],
    ['2', null, 'c'],
    ['2', '100', 'd'],
  ]);
  const orderBy = [{ column: 'v', direction: 'asc' }];

  it('sorts by value, NULLs last unless said otherwise', async () => {
    const ran = await run({ rows }, step('sort', { orderBy, limit: 3 }, 'rows'));
    expect(ran.rows.map(([, , t]) => t)).toEqual(['b', 'a', 'd']);
    expect(ran.rows[0]).toEqual(['1.0', '9', 'b']);
    const first = [{ column: 'v', direction: 'desc', nulls: 'first' }];
    const other = await run({ rows }, step('sort', { orderBy: first }, 'rows'));
    expect(other.rows.map(([, , t]) => t)).toEqual(['c', 'd', 'a', 'b']);
  });

  it.each([
    ['first', undefined, ['a', 'c']],
    ['last', undefined, ['b', 'd']],
    ['first', orderBy, ['b', 'd']],
    ['last', orderBy, ['a', 'c']],
  ])('keeps the %s of equal keys, ordered by %j', async (keep, order, kept) => {
    const config = { keys: ['k'], keep, ...(order ? { orderBy: order } : {}) };
    const ran = await run({ rows }, step('dedupe', config, 'rows'));
    expect(ran.rows.map(([, , t]) => t).sort()).toEqual(kept);
  });
});

describe('pivot and unpivot', () => {
  const cells = table({ who: 'text', quarter: 'integer', amount: 'decimal(8,2)' }, [
    ['a', '1', '1.50'],
    ['a', '1', '2.00'],
    ['a', '2', '4.00'],
    ['b', '3', '8.00'],
  ]);

  it('makes columns of values', async () => {
    const config = {
      on: 'quarter',
      values: [1, 2],
      using: [
        { name: 'sum', expression: 'sum(amount)' },
        { name: 'mean', expression: 'sum(amount) / count(*)' },
      ],
    };
    const ran = await run({ cells }, step('pivot', config, 'cells'));
    expect(ran.columns.map((column) => column.split(':')[0])).toEqual([
      ...['who', '1_sum', '1_mean', '2_sum', '2_mean'],
    ]);
    expect(sorted(ran.rows)).toEqual(['a|3.50|1.75|4.00|4.0', 'b||||']);
  });

  it('makes rows of columns', async () => {
    const wide = table({ id: 'integer', q1: 'numeric', q2: 'numeric' }, [
      ['1', big, null],
      ['2', '1.10', '2.20'],
    ]);
    const config = { columns: ['q1', 'q2'], nameColumn: 'q', valueColumn: 'v' };
    const ran = await run({ wide }, step('unpivot', config, 'wide'));
    expect(ran.columns).toEqual(['id:integer', 'q:text!', 'v:numeric']);
    expect(ran.rows).toEqual([
      ['1', 'q1', big],
      ['2', 'q1', '1.10'],
      ['2', 'q2', '2.20'],
    ]);
    const all = await run({ wide }, step('unpivot', { ...config, includeNulls: true }, 'wide'));
    expect(all.rows).toHaveLength(4);
  });
});

describe('sql', () => {
  const exact = table({ id: 'integer', amount: 'numeric', 'the note': 'text' }, [
    ['1', big, 'x'],
    ['2', '0.10', null],
  ]);

  it('reads inputs by their names, and hands on what it does not name', async () => {
    const sql = `
      with big as (select * from orders where id > 0)
      select *, c.name || '!' as shout from big join customers c on c.customer = big.id * 10 -- end`;
    const ran = await run(
      { orders: exact, customers },
      step('sql', { sql }, ['orders', 'customers']),
    );
    expect(ran.columns.slice(0, 3)).toEqual(['id:integer!', 'amount:numeric', 'the note:text!']);
    expect(sorted(ran.rows)).toEqual([`1|${big}|x|10|Ann|x|Ann!`, '2|0.10||20|Bob|y|Bob!']);
  });

  it('says where the query is wrong', async () => {
    const sql = 'select id\nfrom orders\nwhere nothing = 1';
    expect(await messageOf(run({ orders }, step('sql', { sql }, 'orders')))).toMatch(
      /^In sql at line 3, column 7: there is no column nothing/,
    );
  });

  it.each([
    'select * from ":s0"',
    "select * from read_csv('/etc/passwd')",
    "select * from '/etc/passwd'",
    'select 1) union (select 2',
    'select 1; select 2',
    'select * from customers',
    "attach 'x.db'",
  ])('refuses %s', async (sql) => {
    expect(await messageOf(run({ orders }, step('sql', { sql }, 'orders')))).toMatch(/^In sql/);
  });
});

it('works out a node once that two others read', async () => {
  const ran = await run(
    { orders },
    step('filter', { where: 'amount > 1' }, 'orders'),
    step(
      'aggregate',
      { groupBy: [], aggregates: [{ name: 'most', expression: 'max(amount)' }] },
      'filter',
    ),
    step(
      'join',
      { kind: 'inner', condition: 'l.amount = r.most' },
      { left: 'filter', right: 'aggregate' },
    ),
  );
  expect(ran.compiled.sql).toContain('":n0" AS MATERIALIZED');
  expect(ran.rows).toEqual([['2', '10.0', '7.50', '7.50']]);
});
