import type { Step } from '../../../core/plan/stage.js';
import type { DuckDb } from '../../../engine/duckdb/program.js';
import { isDataError } from '../../../engine/duckdb/failure.js';
import { makeScratch, openDuckDb } from '../duckdb/opened.js';
import type { Scratch } from '../duckdb/opened.js';
import { csvOf, runSteps, step, table } from './running.js';
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

const run = (input: Table, ...steps: Step[]): Promise<Ran> =>
  runSteps(duck, scratch.directory, { in: input }, steps);

const failureOf = async (ran: Promise<unknown>): Promise<unknown> =>
  ran.then(
    () => 'it went well',
    (error: unknown) => (error as { failure?: unknown }).failure ?? error,
  );

const huge = '12345678901234567890123456789.10';

const sales = table({ id: 'integer', amount: 'numeric', note: 'text', day: 'date' }, [
  ['1', huge, 'a "quoted", one', '2024-01-31'],
  ['2', '0.10', '', '0044-03-15 BC'],
  ['3', null, null, 'infinity'],
  ['4', '-5', 'd', '2024-02-01'],
]);

describe('filter', () => {
  it('does not touch what goes on', async () => {
    const { rows, columns } = await run(sales, step('filter', { where: 'amount > 0' }));
    expect(rows).toEqual([sales.rows[0], sales.rows[1]]);
    expect(columns).toEqual(['id:integer', 'amount:numeric', 'note:text', 'day:date']);
  });

  it('says where something is unknown', async () => {
    const where = "note = 'é' and\n  nothing = 1";
    expect(await failureOf(run(sales, step('filter', { where })))).toMatchObject({
      code: 'expression_error',
      class: 'config',
      nodeId: 'filter',
      message:
        'In where at line 2, column 3: there is no column nothing; ' +
        'there are: id, amount, note, day.',
    });
  });

  it('says where two types do not go together', async () => {
    const failure = await failureOf(run(sales, step('filter', { where: 'id > 1 and day > 7' })));
    expect(failure).toMatchObject({ class: 'config', nodeId: 'filter' });
    expect((failure as Error).message).toMatch(/^In where at line 1, column 16: /);
  });

  it('wants a condition', async () => {
    expect(await failureOf(run(sales, step('filter', { where: 'id + 1' })))).toMatchObject({
      message: 'In where: it has to be true or false, and is INTEGER.',
    });
  });

  it('refuses what the gate refuses, with its place', async () => {
    const where = "id > 1 and\n pg_read_file('x') = ''";
    expect(await failureOf(run(sales, step('filter', { where })))).toMatchObject({
      nodeId: 'filter',
      message: expect.stringMatching(
        /^In where at line 2, column 2: the function pg_read_file/,
      ) as string,
    });
  });

  it.each(['1=1) UNION SELECT (1', '1=1; DROP TABLE x', '":0" = 1', 'id = #1', '(SELECT true)'])(
    'does not let %s out of its place',
    async (where) => {
      expect(await failureOf(run(sales, step('filter', { where })))).toMatchObject({
        class: 'config',
        nodeId: 'filter',
      });
    },
  );

  it('tells names apart by case only where it has to', async () => {
    const both = table({ Id: 'integer', id: 'integer', Name: 'text' }, [['1', '2', 'x']]);
    const { rows } = await run(both, step('filter', { where: 'id = 2 and NAME = Name' }));
    expect(rows).toEqual(both.rows);
    const ambiguous = await failureOf(run(both, step('filter', { where: 'id = Id' })));
    expect(ambiguous).toMatchObject({
      message: expect.stringMatching(/^Two columns are called/) as string,
    });
  });

  it('takes columns of any name', async () => {
    const odd = table({ 'a"b': 'integer', "c'); --": 'integer', ':0': 'text', select: 'integer' }, [
      ['1', '2', 'x', '3'],
    ]);
    const where = `"a""b" + "c'); --" = "select"`;
    expect((await run(odd, step('filter', { where }))).rows).toEqual(odd.rows);
    expect(await failureOf(run(odd, step('filter', { where: '":0" = \'x\'' })))).toMatchObject({
      message: expect.stringMatching(/begins with a colon/) as string,
    });
  });
});

describe('derive', () => {
  it('makes one column of another, and replaces one in its place', async () => {
    const { rows, columns } = await run(
      sales,
      step('derive', {
        columns: [
          { name: 'twice', expression: 'id * 2' },
          { name: 'more', expression: 'twice + 1' },
          { name: 'id', expression: "'#' || more" },
          { name: 'later', expression: 'day + INTERVAL 1 DAY -- the next' },
        ],
      }),
      step(
        'select',
        { columns: [{ name: 'id' }, { name: 'more' }, { name: 'later' }, { name: 'amount' }] },
        'derive',
      ),
    );
    expect(columns).toEqual(['id:text!', 'more:integer!', 'later:timestamp!', 'amount:numeric']);
    expect(rows).toEqual([
      ['#3', '3', '2024-02-01 00:00:00', huge],
      ['#5', '5', '0044-03-16 00:00:00 BC', '0.10'],
      ['#7', '7', 'infinity', null],
      ['#9', '9', '2024-02-02 00:00:00', '-5'],
    ]);
  });

  it('knows when the run began, and nothing else of the time', async () => {
    const { rows, columns } = await run(
      table({ id: 'integer' }, [['1']]),
      step('derive', {
        columns: [
          { name: 'a', expression: 'now()' },
          { name: 'b', expression: 'current_date' },
          { name: 'c', expression: 'CURRENT_TIMESTAMP' },
          { name: 'd', expression: 'localtimestamp' },
          { name: 'e', expression: 'ago(INTERVAL 1 HOUR)' },
          { name: 'f', expression: "age(TIMESTAMP '2024-01-29')" },
          { name: 'g', expression: "age(TIMESTAMP '2024-01-02', TIMESTAMP '2024-01-01')" },
          { name: 'h', expression: 'today()' },
        ],
      }),
    );
    expect(columns[1]).toBe('a:timestamptz!');
    expect(rows).toEqual([
      [
        ...['1', '2024-02-29 12:34:56.789+00', '2024-02-29', '2024-02-29 12:34:56.789+00'],
        ...['2024-02-29 12:34:56.789', '2024-02-29 11:34:56.789+00', '1 month', '1 day'],
        '2024-02-29',
      ],
    ]);
  });

  it('makes JSON of lists and structs', async () => {
    const columns = [
      { name: 'l', expression: '[id, NULL]' },
      { name: 's', expression: "{'k': day, 'n': list_sum(l)}" },
      { name: 'k', expression: 's.k' },
    ];
    const ran = await run(
      sales,
      step('derive', { columns }),
      step('filter', { where: 'id = 1' }, 'derive'),
    );
    expect(ran.columns.slice(4)).toEqual(['l:json!', 's:json!', 'k:date!']);
    expect(ran.rows[0]?.slice(4)).toEqual(['[1,null]', '{"k":"2024-01-31","n":1}', '2024-01-31']);
  });

  it('calls a bad value a fault of its row', async () => {
    const columns = [{ name: 'n', expression: 'CAST(note AS INTEGER)' }];
    const error: unknown = await run(sales, step('derive', { columns })).catch(
      (reason: unknown) => reason,
    );
    expect(isDataError(error)).toBe(true);
    expect((error as Error).message).not.toContain('quoted');
    expect((error as Error).message).toContain('INT32');
  });
});

describe('select', () => {
  it('casts between what is text and what is a value', async () => {
    const input = table(
      { i: 'integer', b: 'boolean', t: 'text', x: 'bytes', n: 'numeric', day: 'date' },
      [['7', 't', ' 1.50 ', '\\x414a', huge, '0044-03-15 BC']],
    );
    const columns = [
      { name: 'id', from: 'i' },
      { name: 'i', cast: 'integer' },
      { name: 'wide', from: 'i', cast: 'decimal(12,2)' },
      { name: 'word', from: 'b', cast: 'text' },
      { name: 'exact', from: 't', cast: 'numeric' },
      { name: 'amount', from: 't', cast: 'decimal(6,1)' },
      { name: 'hex', from: 'x', cast: 'text' },
      { name: 'n', cast: 'text' },
      { name: 'at', from: 'day', cast: 'timestamp' },
      { name: 'whole', from: 'n', cast: 'decimal(60,1)' },
    ];
    const ran = await run(input, step('select', { columns }));
    expect(ran.columns).toEqual([
      ...['id:integer', 'i:integer', 'wide:decimal(12,2)!', 'word:text', 'exact:numeric'],
      ...['amount:decimal(6,1)!', 'hex:text', 'n:text', 'at:timestamp!', 'whole:decimal(60,1)'],
    ]);
    expect(ran.rows).toEqual([
      [
        ...['7', '7', '7.00', 'true', '1.50', '1.5', '\\x414a', huge],
        ...['0044-03-15 00:00:00 BC', huge],
      ],
    ]);
  });

  it.each([
    ['day', '2024-01-31 and more', 'date'],
    ['clock', '10:00:00x', 'time'],
    ['n', '1.2.3', 'numeric'],
    ['x', '\\xzz', 'bytes'],
    ['i', 'one', 'integer'],
  ])('does not guess what %s %s means', async (name, value, cast) => {
    const input = table({ [name]: 'text' }, [[value]]);
    const ran = run(input, step('select', { columns: [{ name, cast }] }));
    const error: unknown = await ran.catch((reason: unknown) => reason);
    expect(isDataError(error)).toBe(true);
  });

  it('casts what was computed', async () => {
    const derive = step('derive', {
      columns: [
        { name: 'x', expression: "encode('AJ')" },
        { name: 'l', expression: '[1]' },
      ],
    });
    const columns = [
      { name: 'x', cast: 'text' },
      { name: 'l', cast: 'text' },
      { name: 'id', cast: 'text' },
    ];
    const ran = await run(sales, derive, step('select', { columns }, 'derive'));
    expect(ran.rows[0]).toEqual(['\\x414a', '[1]', '1']);
  });

  it('names what there is when a column is missing', async () => {
    const columns = [{ name: 'idd' }];
    expect(await failureOf(run(sales, step('select', { columns })))).toMatchObject({
      nodeId: 'select',
      message: 'There is no column idd here. There are: id, amount, note, day.',
    });
  });
});

describe('validate', () => {
  const rules = [
    { id: 'positive', expression: 'amount > 0' },
    { id: 'noted', expression: "note <> ''", severity: 'warning' },
    { id: "it's", expression: 'id < 3' },
  ];

  it('sets aside rows that break a rule, with their places in the input', async () => {
    const ran = await run(
      sales,
      step('filter', { where: 'id > 1' }),
      step('validate', { rules, onFailure: 'dlq' }, 'filter'),
    );
    expect(ran.rows).toEqual([sales.rows[1]]);
    const [found] = ran.rejects;
    expect(found?.map((row) => row.slice(0, 3))).toEqual([
      [1, 'noted', 'warning'],
      [2, 'positive', 'error'],
      [2, 'noted', 'warning'],
      [2, "it's", 'error'],
      [3, 'positive', 'error'],
      [3, "it's", 'error'],
    ]);
    expect(JSON.parse(String(found?.[0]?.[3]))).toEqual({
      ...{ id: '2', amount: '0.10', note: '', day: '0044-03-15 BC' },
    });
  });

  it('lets rows go on where it only warns', async () => {
    const ran = await run(sales, step('validate', { rules, onFailure: 'warn' }));
    expect(ran.rows).toEqual(sales.rows);
    expect(ran.compiled.rejects[0]?.onFailure).toBe('warn');
    expect(ran.rejects[0]).toHaveLength(6);
  });

  it('sees computed values, and only rows that an earlier one let through', async () => {
    const ran = await run(
      sales,
      step('derive', { columns: [{ name: 'x', expression: "'\\xAA'::BLOB" }] }),
      step('validate', { rules: [rules[0]], onFailure: 'dlq' }, 'derive', 'first'),
      step(
        'validate',
        { rules: [{ id: 'never', expression: 'NULL::BOOLEAN' }], onFailure: 'fail' },
        'first',
        'second',
      ),
    );
    expect(ran.rejects.map((rejects) => rejects.map(([row]) => row))).toEqual([
      [2, 3],
      [0, 1],
    ]);
    expect(JSON.parse(String(ran.rejects[1]?.[0]?.[3]))).toMatchObject({ x: '\\xaa' });
  });
});

it('hands on rows as they are where there are no steps', async () => {
  const { rows } = await run(sales);
  expect(csvOf(rows)).toBe(csvOf(sales.rows));
});
