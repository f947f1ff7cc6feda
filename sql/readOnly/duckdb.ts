/**
 * What users' queries may say before they reach a database file of theirs. Shapes and functions are
 * those of every query to DuckDB (gate.ts); here are the tables: all of the file's own, and no
 * others. It is the first of two walls: what runs has the file read-only and no way to any other.
 */
import { checkQueryBy, queryProbe } from '../gate.js';
import { lowered } from '../functions.js';
import type { TableRule } from '../gateVisit.js';

/** Catalogs and schemas of DuckDB's own. */
const systemNames: ReadonlySet<string> = new Set(['memory', 'pg_catalog', 'system', 'temp']);

/** What these say is about the file's own tables. */
const informationViews: ReadonlySet<string> = new Set([
  ...['columns', 'constraint_column_usage', 'key_column_usage', 'referential_constraints'],
  ...['schemata', 'table_constraints', 'tables'],
]);

/** Views of DuckDB's own, which are found without a schema. */
const reserved = /^(duckdb|pg|pragma|sqlite)_/;

/** Where there is no such table, DuckDB looks for a file. */
const likeFile =
  /[/\\:*?]|\.(avro|csv|db|duckdb|geojson|gz|json|jsonl|ndjson|parquet|tsv|txt|xlsx|zst)$/i;

const ofFile: TableRule = (name, qualifiers) => {
  const table = [...qualifiers, name].join('.');
  const within = qualifiers.map(lowered);
  const system = within.find((part) => systemNames.has(part));
  if (system !== undefined) return { objection: `it reads from ${system}, which is DuckDB's own` };
  if (within.includes('information_schema')) {
    return informationViews.has(lowered(name))
      ? { table }
      : { objection: `${name} is not one of the allowed views of information_schema` };
  }
  if (qualifiers.length === 0 && reserved.test(lowered(name))) {
    return { objection: `${name} is DuckDB's own; name a table of yours with its schema` };
  }
  if (likeFile.test(name)) return { objection: `${name} looks like a file, not like a table` };
  return { table };
};

/**
 * Refuses what is not one query that only reads the file. `serialize` is what DuckDB's own parser
 * makes of a text (`select json_serialize_sql(?::varchar)`).
 */
export const checkDuckdbQuery = async (
  text: string,
  serialize: (text: string) => Promise<string>,
): Promise<void> => {
  checkQueryBy(text, await serialize(queryProbe(text)), ofFile);
};
