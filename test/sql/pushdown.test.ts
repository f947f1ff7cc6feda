import fc from 'fast-check';
import { Client } from 'pg';
import type { DataType } from '../../core/dataTypes.js';
import type { Expression } from '../../sql/ast.js';
import { checkExpression, expressionProbes } from '../../sql/gate.js';
import { toPostgres } from '../../sql/pushdown.js';
import { createEmptyDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { compare, expectedTypes, loadRows } from './bothSystems.js';
import { openDuck } from './duck.js';
import type { Duck } from './duck.js';
import { columns, expression, row } from './expressions.js';

let duck: Duck;
let database: TestDatabase;
let postgres: Client;

beforeAll(async () => {
  duck = await openDuck();
  await duck.connection.run("set TimeZone = 'UTC'");
  database = await createEmptyDatabase();
  postgres = new Client({ connectionString: database.url });
  await postgres.connect();
  await postgres.query("set timezone = 'UTC'");
});
afterAll(async () => {
  await postgres.end();
  await database.drop();
  duck.close();
});

const types: ReadonlyMap<string, DataType> = new Map(
  [...columns].map(([name, { type }]) => [name, type]),
);

const parsed = async (text: string): Promise<Expression> => {
  const [one, other] = expressionProbes(text);
  const answers = [await duck.serialize(one), await duck.serialize(other)] as const;
  return checkExpression(text, answers, 'row').expression;
};

// The same each time, unless somebody goes looking for more.
const seed = Number(process.env['PUSHDOWN_SEED'] ?? 20_261);
const runs = Number(process.env['PUSHDOWN_RUNS'] ?? 300);
const rowCount = 50;

it('gives the value that DuckDB gives, or leaves the expression to it', async () => {
  const [rows = []] = fc.sample(fc.array(row, { minLength: rowCount, maxLength: rowCount }), {
    seed,
    numRuns: 1,
  });
  await loadRows(duck.connection, postgres, rows);
  let pushedOnes = 0;
  let failing = 0;
  await fc.assert(
    fc.asyncProperty(expression, async (text) => {
      const pushed = toPostgres(await parsed(text), types);
      if (!pushed) return;
      pushedOnes += 1;
      const found = await compare(duck.connection, postgres, text, pushed, rows.length);
      expect({ sql: pushed.sql, values: found.postgres }).toEqual({
        sql: pushed.sql,
        values: found.duck,
      });
      expect(found.types).toEqual(expectedTypes(pushed.type));
      if (!pushed.mayFail) expect(found.failures).toBe(0);
      failing += Math.sign(found.failures);
    }),
    { seed, numRuns: runs },
  );
  // The comparison says something only if it compares, values and failures.
  expect(pushedOnes).toBeGreaterThan(runs / 3);
  expect(failing).toBeGreaterThan(0);
});
