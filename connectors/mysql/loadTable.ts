import { nameList, quoteName } from './quote.js';
import type { Session } from './session.js';
import type { Target } from './target.js';

/** Lives as long as the session, and only there. */
export const loadTable = quoteName('_fluxline_load');

/** Rows are numbered as they arrive: of equal ones the last counts. */
export const rowColumn = quoteName('_fluxline_row');

/** Takes a split in before anything is decided about its rows, as values of their columns' types. */
export const createLoadTable = async (
  session: Session,
  target: Target,
  loaded: readonly string[],
): Promise<void> => {
  await session.run(`drop temporary table if exists ${loadTable}`);
  await session.run(
    `create temporary table ${loadTable}
       (${rowColumn} bigint not null auto_increment primary key) engine = InnoDB
     select ${nameList(loaded)} from ${target.sql} limit 0`,
  );
};

export const sameKeys = (keys: readonly string[], one: string, other: string): string =>
  keys.map((key) => `${one}.${quoteName(key)} = ${other}.${quoteName(key)}`).join(' and ');
