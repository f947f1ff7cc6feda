import type pg from 'pg';
import { DatabaseError } from 'pg';
import type { BadRow, CallContext, Marker, SpooledRows } from '../connector.js';
import { copyIn } from './copy.js';
import { createLoadTable, insertSql, loadTable } from './loadTable.js';
import type { Places } from './evolve.js';
import { quoteName, quoteText } from './quote.js';
import type { TableName } from './quote.js';
import { badRow, blamesRow } from './refusal.js';
import type { Refusal } from './refusal.js';
import { keysOf } from './tableConfig.js';
import type { TableConfig } from '../tableNodes.js';
import { awaitTurn, onConflictSql } from './upsert.js';
import { takingTable } from './writeSplit.js';

const rowColumn = quoteName('_fluxline_row');
const rowsSequence = `pg_temp."_fluxline_rows"`;

/** First and after a good one; rows that are tried at once grow with luck and shrink without. */
const firstTry = 4096;
const largestTry = 65_536;
const smallestTry = 64;

/** The server tries this many rows one by one, in a loop of its own. */
const oneByOne = 128;
const applied = 1024;

/** Runs it or leaves no trace of it; what the server has against a row comes back. */
const attempt = async (
  client: pg.Client,
  before: string,
  work: () => Promise<unknown>,
): Promise<DatabaseError | undefined> => {
  await client.query(`savepoint probe; ${before}`);
  try {
    await work();
  } catch (error) {
    if (!(error instanceof DatabaseError) || !blamesRow(error.code ?? '')) throw error;
    await client.query('rollback to savepoint probe; release savepoint probe');
    return error;
  }
  await client.query('release savepoint probe');
  return undefined;
};

/** COPY says in which line it stopped. Lines are not rows where values have line breaks. */
const lineOf = ({ where }: DatabaseError): number =>
  Number(/, line (\d+)/.exec(where ?? '')?.[1] ?? 0);

const refusalOf = (error: DatabaseError, columns: readonly string[]): Refusal => ({
  state: error.code ?? '',
  column:
    error.column ?? columns.find((name) => error.where?.includes(`, column ${name}:`)) ?? null,
  constraint: error.constraint ?? null,
});

/**
 * Takes the rows in, as values of their columns' types, and finds those that are none. The line at
 * which COPY stopped is a guess that saves halving; what decides is whether the row alone fails.
 */
const takeIn = async (
  client: pg.Client,
  rows: SpooledRows,
  most: number,
  { signal }: CallContext,
): Promise<BadRow[]> => {
  const names = rows.columns.map(({ name }) => name);
  const bad: BadRow[] = [];
  let at = 0;
  let tries = firstTry;
  let suspect = -1;
  let lastBad = 0;
  while (at < rows.count && bad.length < most) {
    const to = at === suspect ? at + 1 : Math.min(rows.count, at + tries);
    const error = await attempt(client, `select setval('${rowsSequence}', ${at + 1}, false)`, () =>
      copyIn(client, loadTable, names, 'csv', rows.read(at, to), signal),
    );
    if (!error) {
      at = to;
      if (at !== suspect) tries = Math.min(tries * 2, largestTry);
    } else if (to - at === 1) {
      bad.push(badRow(at, refusalOf(error, names)));
      // About as far as the next one is likely to be.
      tries = Math.max(smallestTry, 2 * (at - lastBad));
      lastBad = at;
      at = to;
    } else {
      const guess = at + lineOf(error) - 1;
      const isGuess = guess >= at && guess < to && guess !== suspect;
      suspect = isGuess ? guess : -1;
      tries = isGuess ? Math.max(1, guess - at) : Math.ceil((to - at) / 2);
    }
  }
  return bad;
};

interface RefusedRow {
  row: string;
  state: string;
  column: string | null;
  constraint: string | null;
}

const refusedTable = 'pg_temp."_fluxline_refused"';

/** One subtransaction a row, without a way to us and back for each. */
const loopSql = (apply: (where: string) => string, from: number, to: number): string =>
  `do ${quoteText(`
    declare
      _fluxline_at bigint;
      _fluxline_state text;
      _fluxline_column text;
      _fluxline_constraint text;
    begin
      for _fluxline_at in
        select l.${rowColumn} from ${loadTable} l
         where l.${rowColumn} >= ${from} and l.${rowColumn} < ${to} order by 1
      loop
        begin
          ${apply(`where ${rowColumn} = _fluxline_at`)};
        exception when others then
          get stacked diagnostics _fluxline_state = returned_sqlstate,
            _fluxline_column = column_name, _fluxline_constraint = constraint_name;
          insert into ${refusedTable}
          values (_fluxline_at, _fluxline_state, _fluxline_column, _fluxline_constraint);
        end;
      end loop;
    end`)}`;

/** Rows that the loop has set aside since it was asked last. */
const refusedRows = async (client: pg.Client): Promise<BadRow[]> => {
  const { rows } = await client.query<RefusedRow>(
    `with gone as (delete from ${refusedTable} returning *)
     select row_number::text as row, state, nullif(column_name, '') as column,
            nullif(constraint_name, '') as constraint from gone order by row_number`,
  );
  return rows.map((refused) => {
    if (blamesRow(refused.state)) return badRow(Number(refused.row) - 1, refused);
    throw Object.assign(new Error('a row could not be tried'), { code: refused.state });
  });
};

/** Puts the rows where they belong, those before them being there, and finds which ones do not fit. */
const putIn = async (
  client: pg.Client,
  apply: (where: string) => string,
  count: number,
  most: number,
): Promise<BadRow[]> => {
  await client.query(
    `create temp table "_fluxline_refused"
       (row_number bigint, state text, column_name text, constraint_name text);
     create index on ${loadTable} (${rowColumn}); analyze ${loadTable};
     set constraints all immediate`,
  );
  const bad: BadRow[] = [];
  const tryRows = async (from: number, to: number, size: number): Promise<void> => {
    for (let at = from; at < to && bad.length < most; at += size) {
      const end = Math.min(to, at + size);
      const error = await attempt(client, '', () =>
        client.query(apply(`where ${rowColumn} >= ${at} and ${rowColumn} < ${end}`)),
      );
      if (!error) continue;
      if (size > oneByOne) await tryRows(at, end, oneByOne);
      else {
        await client.query(loopSql(apply, at, end));
        bad.push(...(await refusedRows(client)));
      }
    }
  };
  await tryRows(1, count + 1, applied);
  return bad;
};

/** NULL equals nothing: which row it is to change or delete, nobody could say. */
const nullKeys = async (client: pg.Client, keys: readonly string[]): Promise<BadRow[]> => {
  const isNull = keys.map((key) => `${quoteName(key)} is null`);
  const first = keys.map((key, at) => `when ${isNull[at] ?? ''} then ${quoteText(key)}`);
  const { rows } = await client.query<{ row: string; key: string }>(
    `with gone as (delete from ${loadTable} where ${isNull.join(' or ')} returning *)
     select ${rowColumn}::text as row, case ${first.join(' ')} end as key from gone`,
  );
  return rows.map(({ row, key }) =>
    badRow(Number(row) - 1, { state: '23502', column: key, constraint: null }),
  );
};

/** Tries a split's rows in the transaction it is called in, and rolls that back. */
export const findBadRows = async (
  client: pg.Client,
  node: TableConfig,
  name: TableName,
  marker: Marker,
  rows: SpooledRows,
  most: number,
  ctx: CallContext,
): Promise<readonly BadRow[]> => {
  const { target, places } = await takingTable(client, node, name, marker, rows.columns);
  const names = rows.columns.map((column) => column.name);
  const keys = keysOf(node);
  const isDelete = node.mode === 'delete';
  const taken: Places = isDelete ? { loaded: keys, skipped: [] } : places;
  await createLoadTable(client, target.sql, names, taken);
  await client.query(
    `create temp sequence "_fluxline_rows";
     alter table ${loadTable} add column ${rowColumn} bigint default nextval('${rowsSequence}')`,
  );
  const bad = await takeIn(client, rows, most, ctx);
  if (node.mode === 'upsert') bad.push(...(await nullKeys(client, keys)));
  if (!isDelete && bad.length < most) {
    if (node.mode === 'upsert') await awaitTurn(client, marker);
    const conflict = node.mode === 'upsert' ? onConflictSql({ keys, places }) : '';
    const apply = (where: string): string =>
      `${insertSql(target.sql, places, loadTable, where)} ${conflict}`;
    bad.push(...(await putIn(client, apply, rows.count, most - bad.length)));
  }
  await client.query('rollback');
  return bad.sort((one, other) => one.row - other.row).slice(0, most);
};
