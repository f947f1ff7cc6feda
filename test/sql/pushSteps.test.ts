import { Client } from 'pg';
import type { Column, DataType } from '../../core/dataTypes.js';
import type { Step } from '../../core/plan/stage.js';
import type { Expression } from '../../sql/ast.js';
import { checkExpression, expressionProbes } from '../../sql/gate.js';
import { quoteName } from '../../sql/postgresText.js';
import { pushSteps } from '../../sql/pushSteps.js';
import type { PushedSteps } from '../../sql/pushSteps.js';
import { createEmptyDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { openDuck } from './duck.js';
import type { Duck } from './duck.js';

let duck: Duck;
let database: TestDatabase;
let postgres: Client;

beforeAll(async () => {
  duck = await openDuck();
  database = await createEmptyDatabase();
  postgres = new Client({ connectionString: database.url });
  await postgres.connect();
  await postgres.query(
    `create type mood as enum ('sad', 'ok');
     create table orders (id bigint, amount numeric(10,2), quantity integer, name varchar(20),
                          mood mood, born date, doc jsonb, "Odd ""one""" text);
     insert into orders values
       (1, 10.50, 3, 'Ann', 'ok', '2024-01-01', '{"a": 1}', 'x'),
       (2, -1.00, 0, 'Bob', 'sad', null, null, ''),
       (3, null, 7, null, null, 'infinity', '[]', null)`,
  );
});
afterAll(async () => {
  await postgres.end();
  await database.drop();
  duck.close();
});

const column = (name: string, type: DataType, native: string): Column => ({
  name,
  type,
  nullable: true,
  native: { system: 'postgres', type: native, portable: true },
});

const columns: readonly Column[] = [
  column('id', { kind: 'bigint' }, 'bigint'),
  column('amount', { kind: 'decimal', precision: 10, scale: 2 }, 'numeric(10,2)'),
  column('quantity', { kind: 'integer' }, 'integer'),
  column('name', { kind: 'text' }, 'character varying(20)'),
  column('mood', { kind: 'text' }, 'mood'),
  column('born', { kind: 'date' }, 'date'),
  column('doc', { kind: 'json' }, 'jsonb'),
  column('Odd "one"', { kind: 'text' }, 'text'),
];

const step = (kind: string, config: object): Step => ({
  nodeId: kind,
  type: `transform.${kind}`,
  config,
  inputs: [],
});
const filter = (where: string): Step => step('filter', { where });
const derive = (derived: Readonly<Record<string, string>>): Step =>
  step('derive', {
    columns: Object.entries(derived).map(([name, expression]) => ({ name, expression })),
  });
const select = (...selected: readonly object[]): Step => step('select', { columns: selected });

const textsOf = ({ config }: Step): readonly string[] => {
  const { where, columns: list = [] } = config as {
    where?: string;
    columns?: readonly { expression?: string }[];
  };
  return [where, ...list.map(({ expression }) => expression)].filter((text) => text !== undefined);
};

const push = async (...steps: readonly Step[]): Promise<PushedSteps | undefined> => {
  const asts = new Map<string, Expression>();
  for (const text of steps.flatMap(textsOf)) {
    const [one, other] = expressionProbes(text);
    const answers = [await duck.serialize(one), await duck.serialize(other)] as const;
    asts.set(text, checkExpression(text, answers, 'row').expression);
  }
  return pushSteps(steps, columns, asts);
};

const read = async ({ pushed }: PushedSteps): Promise<unknown[][]> => {
  const list = pushed.columns.map(
    ({ name, expression }) => `(${expression}) as ${quoteName(name)}`,
  );
  const where = ['true', ...pushed.where].map((condition) => `(${condition})`).join(' and ');
  const { rows } = await postgres.query<unknown[]>({
    text: `select ${list.join(', ')} from orders where ${where} order by orders.id`,
    rowMode: 'array',
  });
  return rows;
};

const found = async (...steps: readonly Step[]): Promise<PushedSteps> => {
  const result = await push(...steps);
  if (!result) throw new Error('nothing was pushed');
  return result;
};

it('filters, selects and derives where the rows are', async () => {
  const result = await found(
    filter("amount > 0 and name <> 'Bob' or born is null"),
    derive({ total: 'amount * quantity', 'a "label"': "name || '''s \\'" }),
    select({ name: 'id', cast: 'text' }, { name: 'total' }, { name: 'who', from: 'a "label"' }),
  );
  expect(result.rest).toEqual([]);
  expect(result.columns).toEqual([
    column('id', { kind: 'text' }, 'text'),
    column('total', { kind: 'decimal', precision: 18, scale: 2 }, 'numeric(18,2)'),
    column('who', { kind: 'text' }, 'text'),
  ]);
  expect(await read(result)).toEqual([
    ['1', '31.50', "Ann's \\"],
    ['2', '0.00', "Bob's \\"],
  ]);
});

it('lets a later step see what an earlier one derived, and a column take the place of one', async () => {
  const result = await found(
    derive({ name: "coalesce(name, 'nobody')", more: "starts_with(name, 'A')" }),
    filter("name = 'nobody' or more"),
    select({ name: 'ID' }, { name: 'name' }, { name: 'more' }),
  );
  expect(result.rest).toEqual([]);
  expect(await read(result)).toEqual([
    ['1', 'Ann', true],
    ['3', 'nobody', false],
  ]);
});

it('passes on what it cannot look at', async () => {
  const result = await found(select({ name: 'doc' }, { name: 'feeling', from: 'mood' }));
  expect(result.columns).toEqual([
    column('doc', { kind: 'json' }, 'jsonb'),
    column('feeling', { kind: 'text' }, 'mood'),
  ]);
  expect(await read(result)).toEqual([
    [{ a: 1 }, 'ok'],
    [null, 'sad'],
    [[], null],
  ]);
});

it('stops at the first step that is not wholly its own', async () => {
  const steps = [
    filter('quantity > 1'),
    derive({ twice: 'id::decimal(20,0)', upper: 'upper(name)' }),
    filter('id > 2'),
  ];
  const result = await found(...steps);
  expect(result.rest).toEqual(steps.slice(1));
  expect(result.columns).toEqual(columns);
});

it.each([
  ['a type that only looks like text', filter("mood = 'ok'")],
  ['a function that depends on the locale', filter("lower(name) = 'ann'")],
  ['json', derive({ a: "doc ->> 'a'" })],
  ['a cast that may read otherwise', select({ name: 'born', cast: 'text' })],
  ['a column that is not there', select({ name: 'missing' })],
  ['a condition that may fail', filter('quantity * quantity > 10')],
  ['a step of another kind', step('validate', { rules: [] })],
])('leaves %s alone', async (_what, one) => {
  expect(await push(one)).toBeUndefined();
});

it('keeps what may fail only where nothing after it leaves it out', async () => {
  const failing = derive({ square: 'quantity * quantity' });
  expect((await found(failing)).rest).toEqual([]);
  expect((await found(failing, derive({ one: 'id' }))).rest).toEqual([]);
  expect(await push(failing, filter('id > 1'))).toBeUndefined();
  expect(await push(failing, select({ name: 'id' }))).toBeUndefined();
  expect(await push(failing, derive({ square: 'id' }))).toBeUndefined();
  expect((await found(filter('id > 1'), failing)).rest).toEqual([]);
  const renaming = select({ name: 'product', from: 'square' });
  expect((await found(failing, renaming)).rest).toEqual([]);
  expect(await push(failing, renaming, filter('product > 1'))).toBeUndefined();
});

it('does not let expressions grow without end', async () => {
  const doubling = Array.from({ length: 40 }, () => derive({ name: 'name || name' }));
  const result = await found(...doubling);
  expect(result.rest.length).toBeGreaterThan(20);
});
