import type { Browser } from '../../connectors/browser.js';
import type { CallContext } from '../../connectors/connector.js';
import type { PostgresNames } from '../../sql/readOnly/postgres.js';

const text = (value: string): string => `'${value.replaceAll("'", "''")}'`;

const caps = { rows: 1, bytes: 10_000, seconds: 10 };

/** Something on the search path that is neither the system's nor an extension's. */
const ownOf = (catalog: string, prefix: string, names: readonly string[]): string =>
  `select n.nspname::pg_catalog.text as schema, o.${prefix}name::pg_catalog.text as name
     from pg_catalog.${catalog} o
     join pg_catalog.pg_namespace n on n.oid operator(pg_catalog.=) o.${prefix}namespace
    where o.${prefix}name operator(pg_catalog.=) any(array[${names.map(text).join(', ')}]::pg_catalog.name[])
      and n.nspname operator(pg_catalog.<>) 'pg_catalog'::pg_catalog.name
      and n.nspname operator(pg_catalog.=) any(pg_catalog.current_schemas(true))
      and not exists (
        select from pg_catalog.pg_depend d
         where d.classid operator(pg_catalog.=) 'pg_catalog.${catalog}'::pg_catalog.regclass
           and d.objid operator(pg_catalog.=) o.oid
           and d.deptype operator(pg_catalog.=) 'e'::pg_catalog."char")`;

/**
 * A name of PostgreSQL's own that somebody has given to something else on the search path: with the
 * right types that is what a query would call, and it may do anything.
 */
export const findShadow = async (
  browser: Browser,
  { functions, operators }: PostgresNames,
  ctx: CallContext,
): Promise<string | undefined> => {
  const lookups = [
    ...(functions.length > 0 ? [ownOf('pg_proc', 'pro', functions)] : []),
    ...(operators.length > 0 ? [ownOf('pg_operator', 'opr', operators)] : []),
  ];
  if (lookups.length === 0) return undefined;
  const answer = await browser.query?.(`${lookups.join(' union all ')} limit 1`, caps, ctx);
  if (!answer?.ok) throw new TypeError('the catalog could not be asked for names');
  const [found] = answer.rows.rows;
  return found && `${String(found[0])}.${String(found[1])}`;
};
