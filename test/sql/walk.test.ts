import type { Expression, QueryNode, TableRef } from '../../sql/ast.js';
import { expressionProbes, queryProbe } from '../../sql/gate.js';
import { allowedFromFunctions, allowedFunctions } from '../../sql/functions.js';
import { readSerialized } from '../../sql/serialized.js';
import { childrenOf, expressionsIn, expressionsOf } from '../../sql/walk.js';
import { corpus } from './corpora.js';
import { openDuck } from './duck.js';
import type { Duck } from './duck.js';

let duck: Duck;
beforeAll(async () => {
  duck = await openDuck();
});
afterAll(() => {
  duck.close();
});

/** What a walk comes by, in the words of the serialized form. */
const walked = (statement: QueryNode): string[] => {
  const names: string[] = [];
  const expression = (one: Expression): void => {
    if (one.kind === 'function' || one.kind === 'window') names.push(`call ${one.name}`);
    if (one.kind === 'column') names.push(`column ${one.path.join('.')}`);
    if (one.kind === 'subquery') query(one.query);
    childrenOf(one).forEach(expression);
  };
  const table = (one: TableRef): void => {
    if (one.kind === 'table') names.push(`table ${one.name}`);
    if (one.kind === 'function') names.push(`call ${one.call.name}`);
    if (one.kind === 'subquery') query(one.query);
    if (one.kind === 'pivot') table(one.source);
    if (one.kind === 'join') [one.left, one.right].forEach(table);
    expressionsIn(one).forEach(expression);
  };
  const query = (node: QueryNode): void => {
    node.commonTables.forEach((common) => query(common.query));
    if (node.kind === 'select') table(node.from);
    else [node.left, node.right].forEach(query);
    expressionsOf(node).forEach(expression);
  };
  query(statement);
  return names.sort();
};

/** The same, found by looking at everything that the parser wrote. */
const written = (value: unknown): string[] => {
  if (typeof value !== 'object' || value === null) return [];
  const fields = value as Record<string, unknown>;
  const own = [
    ...(typeof fields['function_name'] === 'string' ? [`call ${fields['function_name']}`] : []),
    ...(Array.isArray(fields['column_names'])
      ? [`column ${fields['column_names'].join('.')}`]
      : []),
    ...(fields['type'] === 'BASE_TABLE' ? [`table ${String(fields['table_name'])}`] : []),
  ];
  return [...own, ...Object.values(fields).flatMap(written)];
};

it.each([
  ...corpus('queries-allowed').map(queryProbe),
  ...corpus('queries-refused').map(queryProbe),
  ...corpus('expressions-allowed').flatMap(expressionProbes),
  ...corpus('expressions-refused')
    .filter((text) => text !== '')
    .map((text) => `select ${text}`),
])('%j is walked to its last corner', async (sql) => {
  const json = await duck.serialize(sql);
  const parsed = readSerialized(json);
  if (!parsed.ok) {
    expect(parsed.message).not.toBe('');
    return;
  }
  const raw = JSON.parse(json.replaceAll(':Infinity', ':0')) as { statements: { node: unknown }[] };
  // What these show is refused as a whole, and not looked into.
  if (/describe|summarize|show/.test(sql)) return;
  expect(walked(parsed.statement)).toEqual(written(raw.statements[0]?.node).sort());
});

it('allows only functions that there are', async () => {
  const reader = await duck.connection.runAndReadAll(
    "select distinct lower(function_name) from duckdb_functions() where function_type in ('scalar', 'aggregate', 'macro', 'table')",
  );
  const known = new Set(reader.getRows().map(([name]) => String(name)));
  // Windows and words of the grammar are not in that list; DuckDB has to be asked by calling them.
  const others = [
    'current_date',
    'current_time',
    'current_timestamp',
    'localtime',
    'localtimestamp',
  ];
  const strangers = [...allowedFunctions, ...allowedFromFunctions].filter(
    (name) => !known.has(name) && !others.includes(name),
  );
  expect(strangers).toEqual([]);
});
