/** Queries of a user who waits: what they give, and that no query gets past its caps. */
import type { QueryAnswer } from '../../../connectors/browser.js';
import type { RowCaps } from '../../../core/browse.js';
import { context } from '../postgres/sourceTesting.js';
import { waitFor } from '../../support/wait.js';
import type { Check, Trial } from './check.js';
import { databaseOf, method, required } from './check.js';
import { browserOf, contentsOf, create, fill, nobodyLeft, pairs } from './tables.js';

const caps: RowCaps = { rows: 100, bytes: 1_000_000, seconds: 20 };

const asking = async (trial: Trial) => {
  const browser = await browserOf(trial);
  const query = method(browser, 'query');
  return (sql: string, wanted: Partial<RowCaps> = {}, signal?: AbortSignal): Promise<QueryAnswer> =>
    query(sql, { ...caps, ...wanted }, context(signal));
};

const rowsOf = (answer: QueryAnswer) => {
  if (!answer.ok) throw new Error(answer.message);
  return answer.rows;
};

export const queryChecks: readonly Check[] = [
  {
    name: 'a query gives columns, rows and counts',
    part: 'query',
    capabilities: ['query'],
    run: async (trial) => {
      const { numbers, quote, literal } = databaseOf(trial);
      const ask = await asking(trial);
      const sql = `select n, ${literal(`it's "ü" 表`)} as ${quote('text')}, null as nothing,
        9007199254740993 as large from (${numbers(3)}) t order by n`;
      const answer = await ask(sql);
      expect(answer).toMatchObject({ ok: true, rowsScanned: 3 });
      const { columns, rows, truncated } = rowsOf(answer);
      expect(columns.map(({ name }) => name)).toEqual(['n', 'text', 'nothing', 'large']);
      expect(columns.map(({ type }) => type)).not.toContain('');
      // Where a number holds not every digit, the text does.
      expect(rows).toEqual([1, 2, 3].map((n) => [n, `it's "ü" 表`, null, '9007199254740993']));
      expect(truncated).toBe(false);
      expect((await ask(`${sql};`)).ok).toBe(true);
    },
  },
  {
    name: 'rows beyond the cap do not arrive',
    part: 'query',
    capabilities: ['query'],
    run: async (trial) => {
      const { numbers } = databaseOf(trial);
      const ask = await asking(trial);
      const { rows, truncated } = rowsOf(await ask(numbers(1_000_000)));
      expect(rows).toHaveLength(100);
      expect(truncated).toBe(true);
      expect(rowsOf(await ask(numbers(100))).truncated).toBe(false);
      if (trial.harness.network) expect(trial.sockets.bytesRead()).toBeLessThan(4 * 1024 * 1024);
    },
  },
  {
    name: 'half a gigabyte does not arrive',
    part: 'query',
    capabilities: ['query'],
    run: async (trial) => {
      const database = databaseOf(trial);
      const ask = await asking(trial);
      const sql = `select n, ${database.longText(1_000_000)} as x from (${database.numbers(500)}) t`;
      const before = process.memoryUsage().rss;
      let most = before;
      const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 5);
      const answer = await ask(sql, { rows: 1000 });
      clearInterval(watch);
      expect(rowsOf(answer).truncated).toBe(true);
      expect(JSON.stringify(rowsOf(answer).rows).length).toBeLessThan(2 * caps.bytes);
      expect(most - before).toBeLessThan(200 * 1024 * 1024);
      if (trial.harness.network) expect(trial.sockets.bytesRead()).toBeLessThan(64 * 1024 * 1024);
    },
  },
  {
    name: 'a query that takes too long is ended, on the server too',
    part: 'query',
    capabilities: ['query'],
    run: async (trial) => {
      const database = databaseOf(trial);
      const ask = await asking(trial);
      const answer = await ask(required(database.endless, 'endless query'), { seconds: 1 });
      expect(answer.ok).toBe(false);
      await nobodyLeft(database);
    },
  },
  {
    name: 'a query ends when it is told to, on the server too',
    part: 'query',
    capabilities: ['query'],
    run: async (trial) => {
      const database = databaseOf(trial);
      const ask = await asking(trial);
      const stop = new AbortController();
      const answer = ask(required(database.endless, 'endless query'), {}, stop.signal).catch(
        String,
      );
      await waitFor(async () => (await database.sessions()) > 0, {
        timeoutMs: 20_000,
        what: 'the query to run',
      });
      stop.abort(new Error('enough'));
      expect(await answer).toContain('enough');
      await nobodyLeft(database);
    },
  },
  {
    name: 'what the system has against a query is an answer',
    part: 'query',
    capabilities: ['query'],
    run: async (trial) => {
      const database = databaseOf(trial);
      const ask = await asking(trial);
      const { sql, position } = required(database.broken, 'broken query');
      const answer = await ask(sql);
      if (answer.ok) throw new Error('it was answered');
      expect(answer.message).not.toBe('');
      if (position !== undefined) expect(answer.position).toBe(position);
      for (const secret of trial.system.secrets) expect(answer.message).not.toContain(secret);
    },
  },
  {
    name: 'a query changes nothing, and is one statement',
    part: 'query',
    capabilities: ['query'],
    run: async (trial) => {
      const database = databaseOf(trial);
      const ask = await asking(trial);
      const table = trial.freshName('q');
      await create(database, pairs(database, table));
      await fill(database, table, 3);
      const before = await contentsOf(database, table);
      const name = database.quote(table);
      for (const sql of [
        `delete from ${name}`,
        `drop table ${name}`,
        `insert into ${name} (id, name) values (9, 'x')`,
        `select 1; delete from ${name}`,
      ]) {
        expect((await ask(sql)).ok).toBe(false);
      }
      expect(await contentsOf(database, table)).toEqual(before);
    },
  },
];
