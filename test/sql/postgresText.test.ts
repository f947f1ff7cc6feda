import fc from 'fast-check';
import { Client } from 'pg';
import { quoteName, quoteText } from '../../sql/postgresText.js';
import { createEmptyDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';

let database: TestDatabase;
let postgres: Client;

beforeAll(async () => {
  database = await createEmptyDatabase();
  postgres = new Client({ connectionString: database.url });
  await postgres.connect();
});
afterAll(async () => {
  await postgres.end();
  await database.drop();
});

const character = fc.oneof(
  fc.constantFrom("'", '"', '\\', '$', '-', ';', '\n', "E'", '%', 'é', '😀'),
  fc.string({ unit: 'grapheme', maxLength: 1 }),
);
const text = fc
  .array(character, { maxLength: 12 })
  .map((parts) => parts.join('').replaceAll('\u0000', ''));

it.each(['on', 'off'])('reads back what it wrote, with standard strings %s', async (setting) => {
  await postgres.query(`set standard_conforming_strings = ${setting}`);
  await postgres.query('set escape_string_warning = off');
  await fc.assert(
    fc.asyncProperty(text, async (value) => {
      const { rows } = await postgres.query<{ value: string }>(
        `select ${quoteText(value)}::text as value`,
      );
      expect(rows).toEqual([{ value }]);
    }),
    { numRuns: 200 },
  );
});

it('names what it names', async () => {
  const names = text.filter((name) => name !== '' && Buffer.byteLength(name) < 64);
  await fc.assert(
    fc.asyncProperty(names, async (name) => {
      const { fields } = await postgres.query(
        `select ${quoteName(name)} from (select 1 as ${quoteName(name)}) as one`,
      );
      expect(fields.map((field) => field.name)).toEqual([name]);
    }),
    { numRuns: 200 },
  );
});
