/** From a table of the system, as csv, into another one that the connector makes. */
import { newDelivery, splitOf } from '../postgres/destinationTesting.js';
import { context } from '../postgres/sourceTesting.js';
import type { Check } from './check.js';
import { databaseOf } from './check.js';
import type { Database } from './harness.js';
import { rangesOf } from './reading.js';
import { browserOf, contentsOf, create, destinationOf, sourceOf } from './tables.js';

/** A column for each type, and as many rows as the longest of them has values; and one of NULLs. */
const fillTypes = async (database: Database, table: string): Promise<string[]> => {
  const { types, words, quote, run } = database;
  const names = types.map((_, index) => `c${index}`);
  await create(database, {
    name: table,
    columns: [
      { name: 'id', type: words.integer, nullable: false },
      ...types.map(({ type }, index) => ({ name: `c${index}`, type, nullable: true })),
    ],
    key: ['id'],
  });
  const most = Math.max(...types.map(({ values }) => values.length));
  for (let row = 0; row <= most; row += 1) {
    const values = types.map((type) => type.values[row] ?? 'null');
    const list = ['id', ...names].map(quote).join(', ');
    await run(`insert into ${quote(table)} (${list}) values (${[row, ...values].join(', ')})`);
  }
  return ['id', ...names];
};

export const copyChecks: readonly Check[] = [
  {
    name: 'every type arrives in a table of its own making as it was',
    part: 'copy',
    capabilities: ['destination.table'],
    run: async (trial) => {
      const database = databaseOf(trial);
      const [from, to] = [trial.freshName('f'), trial.freshName('g')];
      const names = await fillTypes(database, from);
      const [source, destination] = [await sourceOf(trial), await destinationOf(trial)];
      const request = { config: { table: from } };
      const { columns } = await source.facts(request, context());
      const delivery = newDelivery();
      const node = { table: to };
      const { publishes } = await destination.prepare(node, columns, delivery, context());
      for (const [split, range] of (await rangesOf(source, request, 'single', 1e6)).entries()) {
        const read = source.readBulk(request, range, { format: 'csv' }, context());
        const marker = splitOf(delivery, split);
        await destination.writeBulk(node, marker, read, () => undefined, context());
      }
      if (publishes) await destination.publish?.(node, delivery, context());
      // Column by column: which one differs is then plain to see.
      for (const [index, name] of names.entries()) {
        const type = database.types[index - 1]?.type ?? 'the key';
        const arrived = await contentsOf(database, to, ['id', name]);
        expect({ type, rows: arrived }).toEqual({
          type,
          rows: await contentsOf(database, from, ['id', name]),
        });
      }
      if (!trial.manifest.capabilities.includes('tables')) return;
      const browser = await browserOf(trial);
      const typesOf = async (table: string) =>
        (await browser.columns?.({ table }, context()))?.map(({ type }) => type);
      expect(await typesOf(to)).toEqual(await typesOf(from));
    },
  },
];
