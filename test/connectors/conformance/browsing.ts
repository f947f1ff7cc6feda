/** Looking around: names, pages, columns, first rows. */
import type { NamePage, PageWanted, RowCaps } from '../../../core/browse.js';
import { context } from '../postgres/sourceTesting.js';
import type { Check } from './check.js';
import { databaseOf, method } from './check.js';
import { browserOf, create, fill, pairs } from './tables.js';

const all: PageWanted = { limit: 10_000 };
const caps: RowCaps = { rows: 100, bytes: 1_000_000, seconds: 20 };

type List<Item> = (page: PageWanted) => Promise<NamePage<Item> | undefined>;

/** Everything, in pages of `limit`. */
const inPages = async <Item extends { name: string }>(
  list: List<Item>,
  limit: number,
  search?: string,
): Promise<Item[]> => {
  const items: Item[] = [];
  let after: string | null | undefined;
  do {
    const page = await list({
      limit,
      ...(search === undefined ? {} : { search }),
      ...(typeof after === 'string' ? { after } : {}),
    });
    if (!page) throw new Error('no page');
    expect(page.items.length).toBeLessThanOrEqual(limit);
    items.push(...page.items);
    after = page.next;
  } while (after !== null);
  return items;
};

const namesOf = (page: NamePage<{ name: string }> | undefined): string[] =>
  (page?.items ?? []).map(({ name }) => name);

export const browseChecks: readonly Check[] = [
  {
    name: 'schemas, in pages and by a part of their names',
    part: 'browse',
    capabilities: ['schemas'],
    run: async (trial) => {
      const database = databaseOf(trial);
      const browser = await browserOf(trial);
      const schemas = method(browser, 'schemas');
      const list = (page: PageWanted) => schemas(page, context());
      const whole = namesOf(await list(all));
      expect(whole).toContain(database.schema);
      expect(browser.defaultSchema).toBe(database.schema);
      if (database.otherSchema !== undefined) expect(whole).toContain(database.otherSchema);
      expect((await inPages(list, 1)).map(({ name }) => name)).toEqual(whole);
      const search = database.schema.slice(1).toUpperCase();
      expect(namesOf(await list({ ...all, search }))).toEqual(
        whole.filter((name) => name.toLowerCase().includes(search.toLowerCase())),
      );
    },
  },
  {
    name: 'tables and views, with their comments, under any name',
    part: 'browse',
    capabilities: ['tables'],
    run: async (trial) => {
      const database = databaseOf(trial);
      const browser = await browserOf(trial);
      const tables = method(browser, 'tables');
      const stem = trial.freshName('t');
      const names = database.oddNames.map((name) => `${stem}${name}`);
      for (const name of names) {
        await create(database, { ...pairs(database, name), comment: `it's "${name}"` });
      }
      const view = `${stem}_view`;
      await database.run(
        `create view ${database.quote(view)} as select 1 as ${database.quote('one')}`,
      );
      const list = (page: PageWanted, schema?: string) => tables(schema, page, context());
      const found = (await list({ ...all, search: stem }))?.items ?? [];
      expect(found).toHaveLength(names.length + 1);
      expect(found).toEqual(
        expect.arrayContaining([
          ...names.map((name) => ({ name, type: 'TABLE', comment: `it's "${name}"` })),
          { name: view, type: 'VIEW', comment: null },
        ]),
      );
      expect(await list({ ...all, search: stem }, database.schema)).toEqual({
        items: found,
        next: null,
      });
      expect(await list(all, trial.freshName('nobody'))).toBeUndefined();
    },
  },
  {
    name: 'tables in pages and by a part of their names, where % and _ are letters',
    part: 'browse',
    capabilities: ['tables'],
    run: async (trial) => {
      const database = databaseOf(trial);
      const browser = await browserOf(trial);
      const tables = method(browser, 'tables');
      const stem = trial.freshName('p');
      const ends = ['a_1', 'a_2', 'ab1', 'B%1', 'b1'];
      for (const end of ends) await create(database, pairs(database, `${stem}${end}`));
      const list = (page: PageWanted) => tables(undefined, page, context());
      const found = async (search: string) =>
        namesOf(await list({ ...all, search: `${stem}${search}` }))
          .map((name) => name.slice(stem.length))
          .sort();
      expect(await found('')).toEqual([...ends].sort());
      expect(await found('a_')).toEqual(['a_1', 'a_2']);
      expect(await found('b%')).toEqual(['B%1']);
      expect(await found('A')).toEqual(['a_1', 'a_2', 'ab1']);
      expect(await found('\\')).toEqual([]);
      const whole = namesOf(await list({ ...all, search: stem }));
      for (const limit of [1, 2, 5]) {
        expect((await inPages(list, limit, stem)).map(({ name }) => name)).toEqual(whole);
      }
    },
  },
  {
    name: 'columns: order, type, NULL, key, comments',
    part: 'browse',
    capabilities: ['tables'],
    run: async (trial) => {
      const database = databaseOf(trial);
      const browser = await browserOf(trial);
      const columns = method(browser, 'columns');
      const { integer, text } = database.words;
      const [odd = 'odd'] = database.oddNames;
      const table = trial.freshName('c');
      await create(database, {
        name: table,
        columns: [
          { name: 'z', type: integer, nullable: false },
          { name: odd, type: text, nullable: true, comment: `it's "odd"` },
          { name: 'a', type: text, nullable: false },
        ],
        key: ['a', 'z'],
      });
      const found = await columns({ table }, context());
      expect(found).toMatchObject([
        { name: 'z', nullable: false, key: 2, comment: null },
        { name: odd, nullable: true, key: null, comment: `it's "odd"` },
        { name: 'a', nullable: false, key: 1, comment: null },
      ]);
      expect(found?.map(({ type }) => type)).not.toContain('');
      const wanted = { schema: database.schema, table };
      expect(await columns(wanted, context())).toEqual(found);
      const nobody = { table: trial.freshName('nobody') };
      expect(await columns(nobody, context())).toBeUndefined();
      const nowhere = { schema: trial.freshName('nobody'), table };
      expect(await columns(nowhere, context())).toBeUndefined();
    },
  },
  {
    name: 'catalogs',
    part: 'browse',
    capabilities: ['catalogs'],
    run: async (trial) => {
      const browser = await browserOf(trial);
      const catalogs = method(browser, 'catalogs');
      const list = (page: PageWanted) => catalogs(page, context());
      const whole = await list(all);
      expect(whole.items.length).toBeGreaterThan(0);
      expect(await inPages(list, 1)).toEqual(whole.items);
      const { database } = trial.system;
      if (database)
        expect(whole.items.flatMap(({ schemas }) => schemas)).toContain(database.schema);
    },
  },
  {
    name: 'first rows of a table, cut to what was asked for',
    part: 'browse',
    capabilities: ['preview'],
    run: async (trial) => {
      const database = databaseOf(trial);
      const browser = await browserOf(trial);
      const preview = method(browser, 'preview');
      const look = (table: string, wanted: Partial<RowCaps> = {}) =>
        preview({ table }, { ...caps, ...wanted }, context());
      const table = trial.freshName('r');
      await create(database, pairs(database, table));
      expect(await look(table)).toMatchObject({ rows: [], truncated: false });
      await fill(database, table, 50, 10);
      const whole = await look(table);
      expect(whole?.columns.map(({ name }) => name)).toEqual(['id', 'name']);
      expect(whole?.truncated).toBe(false);
      expect(whole?.rows).toHaveLength(50);
      expect(whole?.rows.map(([id]) => id).sort((a, b) => Number(a) - Number(b))).toEqual(
        Array.from({ length: 50 }, (_, index) => index + 1),
      );
      const few = await look(table, { rows: 7 });
      expect(few).toMatchObject({ truncated: true });
      expect(few?.rows).toHaveLength(7);
      const small = await look(table, { bytes: 100 });
      expect(small).toMatchObject({ truncated: true });
      expect(JSON.stringify(small?.rows).length).toBeLessThan(400);
      expect(await look(trial.freshName('nobody'))).toBeUndefined();
    },
  },
  {
    name: 'a long value is cut, NULL is null',
    part: 'browse',
    capabilities: ['preview'],
    run: async (trial) => {
      const database = databaseOf(trial);
      const browser = await browserOf(trial);
      const table = trial.freshName('l');
      await create(database, pairs(database, table));
      const { quote, longText, run } = database;
      await run(
        `insert into ${quote(table)} (id, name) values (1, ${longText(10_000)}), (2, null)`,
      );
      const found = await browser.preview?.({ table }, caps, context());
      expect(found?.truncated).toBe(true);
      const byId = new Map(found?.rows.map(([id, name]) => [id, name]));
      expect(String(byId.get(1))).toHaveLength(4096);
      expect(byId.get(2)).toBeNull();
    },
  },
];
