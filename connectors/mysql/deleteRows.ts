import { loadTable, sameKeys } from './loadTable.js';
import type { Session } from './session.js';

/** Removes the rows whose keys wait; how many of those found something. NULL finds nothing. */
export const deleteRows = async (
  session: Session,
  target: string,
  keys: readonly string[],
): Promise<number> => {
  const same = sameKeys(keys, 't', 'l');
  const [row] = await session.rows(
    `select count(*) as found from ${loadTable} l
      where exists (select 1 from ${target} t where ${same} for update)`,
  );
  await session.run(`delete t from ${target} t join ${loadTable} l on ${same}`);
  return Number(row?.['found'] ?? 0);
};
