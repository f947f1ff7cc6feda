import type { TableName } from './quote.js';
import type { Session } from './session.js';

const referencesSql = `
  select concat('table ', table_name, ' refers to it by ', constraint_name) as reason
    from information_schema.key_column_usage
   where referenced_table_schema = ? and referenced_table_name = ?
   union
  select concat('it refers to others by ', constraint_name)
    from information_schema.key_column_usage
   where table_schema = ? and table_name = ? and referenced_table_name is not null
   union
  select concat('it has the trigger ', trigger_name) from information_schema.triggers
   where event_object_schema = ? and event_object_table = ?`;

/** What would stay with the old table, or be lost with it, when another one takes its place. */
export const hangsOn = async (
  session: Session,
  { schema, table }: TableName,
): Promise<readonly string[]> => {
  const place = [schema, table];
  const rows = await session.rows(referencesSql, [...place, ...place, ...place]);
  return rows.map(({ reason }) => reason ?? '');
};
