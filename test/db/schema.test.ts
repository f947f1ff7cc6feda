import type { Knex } from 'knex';
import { retentionRules } from '../../core/retention.js';
import { openDatabase } from '../../db/knex.js';
import { migrate, pendingMigrations } from '../../db/migrations/index.js';
import { makeRepos } from '../../db/repos/index.js';
import { createEmptyDatabase, createTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';

let database: TestDatabase;
let db: Knex;

const open = (url: string) => openDatabase({ url, poolSize: 2, applicationName: 'test' });

beforeAll(async () => {
  database = await createTestDatabase();
  db = open(database.url);
});

afterAll(async () => {
  await db.destroy();
  await database.drop();
});

const select = async <Row>(sql: string): Promise<Row[]> =>
  (await db.raw<{ rows: Row[] }>(sql)).rows;

/** Whose rows are nobody's in particular, or who are the workspaces themselves. */
const unscoped = [
  'instance',
  'migrations',
  'migrations_lock',
  'organizations',
  'users',
  'workers',
  'workspaces',
];

test('every other table has a workspace', async () => {
  const tables = await select<{ name: string }>(
    `select c.relname as name from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
        and not exists (select from pg_attribute a where a.attrelid = c.oid
                          and a.attname = 'workspace_id' and a.attnotnull)
      order by 1`,
  );
  expect(tables.map(({ name }) => name)).toEqual(unscoped);
});

test('references between tables with a workspace carry it, so that none can cross', async () => {
  const crossing = await select<{ name: string }>(
    `select con.conname as name
       from pg_constraint con
       join pg_attribute own on own.attrelid = con.conrelid and own.attname = 'workspace_id'
       join pg_attribute other on other.attrelid = con.confrelid and other.attname = 'workspace_id'
      where con.contype = 'f' and not own.attnum = any(con.conkey)`,
  );
  expect(crossing).toEqual([]);
});

test('migrating twice is migrating once', async () => {
  const empty = await createEmptyDatabase();
  const fresh = open(empty.url);
  const pending = await pendingMigrations(fresh);
  expect(await migrate(fresh)).toEqual(pending);
  expect(await migrate(fresh)).toEqual([]);
  expect(await pendingMigrations(fresh)).toEqual([]);
  await fresh.destroy();
  await empty.drop();
});

test.each(retentionRules)('$table is purged of what is older than $days days', async (rule) => {
  const columns = await select(
    `select 1 from information_schema.columns
      where table_name = '${rule.table}' and column_name = '${rule.column}'`,
  );
  expect(columns).toHaveLength(1);
  expect(await makeRepos(db).retention.purge(rule)).toBe(0);
});

test('purging takes the old, and leaves the rest', async () => {
  const repos = makeRepos(db);
  const rule = retentionRules.find(({ table }) => table === 'workers');
  if (!rule) throw new Error('no rule for workers');
  await repos.workers.beat({ id: 'old', queues: ['q'], slots: 1 });
  await repos.workers.beat({ id: 'new', queues: ['q'], slots: 2 });
  await db('workers')
    .where({ id: 'old' })
    .update({ seen_at: db.raw(`now() - interval '25 hours'`) });
  expect(await repos.workers.slots('q')).toBe(2);
  expect(await repos.retention.purge(rule)).toBe(1);
  expect(await db('workers').select('id')).toEqual([{ id: 'new' }]);
  expect(await repos.workers.unserved(['q', 'r'])).toEqual(['r']);
});
