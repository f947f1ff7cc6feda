/** Tables that checks make, and connectors' parts over them. */
import type { Browser } from '../../../connectors/browser.js';
import type { Destination, Source } from '../../../connectors/connector.js';
import { waitFor } from '../../support/wait.js';
import type { Opening, Trial } from './check.js';
import { required } from './check.js';
import type { Database, NewTable } from './harness.js';

export const create = async ({ run, createSql }: Database, table: NewTable): Promise<void> => {
  for (const statement of createSql(table)) await run(statement);
};

/** A table `id`, `name` with the id as its key. */
export const pairs = ({ words }: Database, name: string): NewTable => ({
  name,
  columns: [
    { name: 'id', type: words.integer, nullable: false },
    { name: 'name', type: words.text, nullable: true },
  ],
  key: ['id'],
});

/** Rows 1 to `count`; each name has `width` letters and the number. */
export const fill = async (
  { run, quote, numbers, longText }: Database,
  table: string,
  count: number,
  width = 1,
): Promise<void> => {
  // Through a query of its own: what it is called inside is the system's business.
  await run(
    `insert into ${quote(table)} (id, name)
     select n, ${longText(width)} from (${numbers(count)}) fluxline_numbers`,
  );
};

export const contentsOf = async (
  { run, quote, asText }: Database,
  table: string,
  columns: readonly string[] = ['id', 'name'],
): Promise<string[]> => {
  const list = columns.map((name) => asText(quote(name))).join(', ');
  const rows = await run(`select ${list} from ${quote(table)}`);
  return rows.map((row) => JSON.stringify(row)).sort();
};

export const browserOf = async (trial: Trial): Promise<Browser> =>
  required((await trial.open()).browser, 'browser of the connector');

export const sourceOf = async (trial: Trial, opening: Opening = {}): Promise<Source> =>
  required((await trial.open(opening)).source, 'source of the connector');

export const destinationOf = async (trial: Trial): Promise<Destination> =>
  required((await trial.open({ role: 'destination' })).destination, 'destination of the connector');

/** The server has nothing of ours running or waiting any more. */
export const nobodyLeft = (database: Database): Promise<unknown> =>
  waitFor(async () => (await database.sessions()) === 0, {
    timeoutMs: 30_000,
    what: 'the server to have no session of ours',
  });
