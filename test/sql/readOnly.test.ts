import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SqlRefusal } from '../../sql/refusal.js';
import { checkDuckdbQuery } from '../../sql/readOnly/duckdb.js';
import { checkMysqlQuery } from '../../sql/readOnly/mysql.js';
import { checkPostgresQuery } from '../../sql/readOnly/postgres.js';
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

const checks = {
  postgres: checkPostgresQuery,
  mysql: checkMysqlQuery,
  duckdb: (text: string) => checkDuckdbQuery(text, (probe) => duck.serialize(probe)),
};
type System = keyof typeof checks;

const problem = async (system: System, text: string): Promise<string | undefined> => {
  try {
    await checks[system](text);
    return undefined;
  } catch (error) {
    if (error instanceof SqlRefusal) return error.message;
    throw error;
  }
};

const short = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}…` : text);

describe.each(Object.keys(checks) as System[])('queries to %s', (system) => {
  it.each(corpus(`${system}-refused`).map((text) => [short(text), text]))(
    'may not be: %s',
    async (_, text) => {
      expect(await problem(system, text)).toEqual(expect.any(String));
    },
  );

  it.each(corpus(`${system}-allowed`).map((text) => [short(text), text]))(
    'may be: %s',
    async (_, text) => {
      expect(await problem(system, text)).toBeUndefined();
    },
  );

  it('may not call what is harmful, wherever it stands', async () => {
    const places = corpus(`${system}-allowed`).filter((text) =>
      /\bmax\(a\)|\bcount\(\*\)/.test(text),
    );
    expect(places.length).toBeGreaterThan(1);
    for (const text of places) {
      const harmful = text.replace(/\bmax\(a\)|\bcount\(\*\)/, 'load_secret(1)');
      expect(await problem(system, harmful)).toMatch(/load_secret/i);
    }
  });
});

it.each([
  ['sums', `select ${Array.from({ length: 20_000 }, () => '1').join('+')}`],
  ['brackets', `select ${'('.repeat(9_000)}1${')'.repeat(9_000)} from pg_sleep(1)`],
  ['subqueries', `select ${'(select '.repeat(5_000)}1${')'.repeat(5_000)}`],
  ['negations', `select ${'not '.repeat(15_000)}true, pg_sleep(1)`],
  ['a long list', `select 1 where 1 in (${Array.from({ length: 40_000 }, () => '1').join(',')})`],
])('a tower of %s does no harm', async (_, text) => {
  expect(await problem('postgres', text)).toEqual(expect.any(String));
  expect(await problem('postgres', 'select 1')).toBeUndefined();
});

const tpch = readFileSync(join(__dirname, '../fixtures/tpch/queries.sql'), 'utf8')
  .split(/^-- Q\d+$/m)
  .slice(1);

it('lets all queries of TPC-H through', async () => {
  expect(tpch).toHaveLength(22);
  for (const text of tpch) {
    for (const system of Object.keys(checks) as System[]) {
      expect({ system, text, problem: await problem(system, text) }).toEqual({ system, text });
    }
  }
});

it('says which names a query relies on', async () => {
  const names = await checkPostgresQuery(
    'select lower(a), pg_catalog.upper(a), a + 1 from t where b like c and d between 1 and 2',
  );
  expect(names).toEqual({ functions: ['lower'], operators: ['+', '~~'] });
});

it.each([
  ['postgres', 'select é,\n  pg_sleep(1)', { line: 2, column: 3 }],
  ['postgres', 'select "😀" from a selec x', { line: 1, column: 25 }],
  ['mysql', 'select é,\n  sleep(1)', { line: 2, column: 3 }],
  ['duckdb', 'select é,\n  getenv(1)', { line: 2, column: 3 }],
  ['duckdb', "select '😀' from a,\n read_text('x')", { line: 2, column: 2 }],
] as const)('says where, in %s', async (system, text, place) => {
  await expect((async () => checks[system](text))()).rejects.toMatchObject({ place });
});
