import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkExpression, checkQuery, expressionProbes, queryProbe } from '../../sql/gate.js';
import type { CheckedExpression, CheckedQuery } from '../../sql/gate.js';
import { SqlRefusal } from '../../sql/refusal.js';
import { openDuck } from './duck.js';
import type { Duck } from './duck.js';

const corpus = (name: string): readonly string[] =>
  JSON.parse(
    readFileSync(join(__dirname, '../fixtures/sql', `${name}.json`), 'utf8'),
  ) as readonly string[];

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
  if (!(outcome instanceof SqlRefusal)) {
    throw new Error(`not refused: ${JSON.stringify(outcome)}`);
  }
  return outcome;
};

describe('expressions', () => {
  it.each(corpus('expressions-refused'))('%j is refused', async (text) => {
    const refusal = await refusalOf(expression(text));
    expect(refusal.message).not.toBe('');
  });

  it.each(corpus('expressions-allowed'))('%j is allowed', async (text) => {
    await expect(expression(text)).resolves.toMatchObject({ aggregate: false });
  });
});

describe('queries', () => {
  it.each(corpus('queries-refused'))('%j is refused', async (text) => {
    const refusal = await refusalOf(query(text));
    expect(refusal.message).not.toBe('');
  });

  it.each(corpus('queries-allowed'))('%j is allowed', async (text) => {
    await expect(query(text)).resolves.toHaveProperty('tables');
  });
});
