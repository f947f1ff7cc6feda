import type { Expression, QueryNode, SqlType, TableRef } from './ast.js';
import { familyOf, lowered, mayStandInFrom } from './functions.js';
import type { FunctionFamily } from './functions.js';
import { childrenOf, expressionsIn, expressionsOf } from './walk.js';

export type GateContext = 'row' | 'aggregate' | 'query';

export interface Findings {
  columns: readonly (readonly string[])[];
  tables: readonly string[];
  aggregate: boolean;
  moment: boolean;
}

/** Throws, with the place if there is one. */
export type Refuse = (message: string, at: number | undefined) => never;

/** What an entry of FROM that is no common table reads, or why it may not be read. */
export type TableRule = (
  name: string,
  qualifiers: readonly string[],
) => { table: string } | { objection: string };

interface Visit {
  context: GateContext;
  refuse: Refuse;
  columns: (readonly string[])[];
  rule: TableRule;
  tables: Set<string>;
  aggregate: boolean;
  moment: boolean;
}

/** Names that a part of the statement brings along: common tables, parameters of lambdas. */
interface Names {
  tables: ReadonlySet<string>;
  parameters: ReadonlySet<string>;
}

const systemSchemas = new Set(['information_schema', 'memory', 'pg_catalog', 'system', 'temp']);
/** The parser itself puts it before functions it writes for users. */
const ownSchema = 'main';

/** Types that are built in but that the parser leaves to be looked up. */
const namedTypes = new Set(['bignum', 'enum', 'json', 'varint']);

const outOfPlace: Readonly<Record<GateContext, Partial<Record<FunctionFamily, string>>>> = {
  row: {
    aggregate: 'aggregates over many rows, and an expression here sees one: use an aggregate node',
    window: 'looks at other rows, and an expression here sees one: use a SQL node',
    multiplying: 'makes rows of one row, and an expression here makes one value: use a SQL node',
    changing:
      'gives other values each time, and a part of a run that is repeated has to give the same ' +
      'rows: use md5, sha256 or hash of columns that identify the row',
  },
  aggregate: {
    window: 'looks at other rows of the result: use a SQL node',
    multiplying: 'makes rows of one row: use a SQL node',
  },
  query: {},
};

const checkType = (type: SqlType, at: number | undefined, refuse: Refuse): void => {
  if (type.id === 'UNBOUND') {
    const known = !type.qualified && namedTypes.has(lowered(type.name ?? ''));
    if (!known) refuse(`the type ${type.name ?? ''} is not known`, at);
  }
  for (const child of type.children) checkType(child, at, refuse);
};

const checkCall = (
  call: Extract<Expression, { kind: 'function' | 'window' }>,
  names: Names,
  visit: Visit,
): void => {
  const { context, refuse } = visit;
  const family = familyOf(call.name);
  if (family === undefined) {
    return refuse(`the function ${call.name} is not among those that may be used`, call.at);
  }
  // `column.call()` hands the column in; the parser takes it for a schema.
  if (call.qualifiers.some((part) => systemSchemas.has(lowered(part)))) {
    refuse('functions cannot be named with a catalog or schema', call.at);
  }
  if (call.qualifiers.length > 0 && call.qualifiers.join() !== ownSchema) {
    noteColumn(call.qualifiers, names, visit);
  }
  const objection = outOfPlace[context][call.kind === 'window' ? 'window' : family];
  if (objection !== undefined) {
    refuse(`${call.kind === 'window' ? `${call.name} … OVER` : call.name} ${objection}`, call.at);
  }
  visit.aggregate ||= call.kind === 'function' && family === 'aggregate';
  // age(x) with one argument counts from today.
  visit.moment ||=
    family === 'moment' || (lowered(call.name) === 'age' && call.children.length === 1);
};

const noteColumn = (path: readonly string[], { parameters }: Names, visit: Visit): void => {
  const [first = ''] = path;
  if (parameters.has(lowered(first))) return;
  visit.columns.push(path);
  visit.moment ||= path.length === 1 && familyOf(first) === 'moment';
};

const lambdaParameters = (left: Expression): readonly string[] | undefined => {
  if (left.kind === 'column' && left.path.length === 1) return left.path;
  if (left.kind !== 'function' || left.name !== 'row') return undefined;
  const names = left.children.map(lambdaParameters);
  return names.every((name) => name !== undefined) ? names.flat() : undefined;
};

/** Arguments of a function that takes lambdas: the names before the arrow are not columns. */
const visitLambdaCall = (
  call: Extract<Expression, { kind: 'function' }>,
  names: Names,
  visit: Visit,
): void => {
  for (const child of childrenOf(call)) {
    const parameters = child.kind === 'lambda' ? lambdaParameters(child.left) : undefined;
    if (child.kind !== 'lambda' || !parameters) {
      checkWithin(child, names, visit);
      continue;
    }
    const inside = new Set([...names.parameters, ...parameters.map(lowered)]);
    checkWithin(child.body, { ...names, parameters: inside }, visit);
  }
};

const checkWithin = (expression: Expression, names: Names, visit: Visit): void => {
  const { context, refuse } = visit;
  switch (expression.kind) {
    case 'column':
      noteColumn(expression.path, names, visit);
      break;
    case 'function':
    case 'window':
      checkCall(expression, names, visit);
      if (expression.kind === 'function' && familyOf(expression.name) === 'lambda') {
        visitLambdaCall(expression, names, visit);
        return;
      }
      break;
    case 'constant':
    case 'cast':
      checkType(expression.type, expression.at, refuse);
      break;
    case 'subquery':
      if (context !== 'query') {
        refuse('a query cannot be part of an expression: use a SQL or a join node', expression.at);
      }
      checkNode(expression.query, names, visit);
      break;
    case 'star':
      if (context !== 'query') refuse('columns have to be named one by one', expression.at);
      break;
    case 'position':
      if (context !== 'query') refuse('columns have to be named, not numbered', expression.at);
      break;
    case 'parameter':
    case 'default':
      refuse('parameters and DEFAULT cannot be used', expression.at);
      break;
    case 'operator':
      if (context !== 'query' && ['grouping', 'unpack'].includes(expression.operator)) {
        refuse(`${expression.operator} can only be used in a query`, expression.at);
      }
      break;
    case 'comparison':
    case 'conjunction':
    case 'between':
    case 'case':
    case 'collate':
    case 'lambda':
      break;
  }
  for (const child of childrenOf(expression)) checkWithin(child, names, visit);
};

const checkTable = (table: TableRef, names: Names, visit: Visit): void => {
  const { refuse } = visit;
  switch (table.kind) {
    case 'table': {
      const { name, qualifiers } = table;
      if (qualifiers.length === 0 && names.tables.has(lowered(name))) break;
      const found = visit.rule(name, qualifiers);
      if ('objection' in found) return refuse(found.objection, table.at);
      visit.tables.add(found.table);
      break;
    }
    case 'join':
      checkTable(table.left, names, visit);
      checkTable(table.right, names, visit);
      break;
    case 'subquery':
      checkNode(table.query, names, visit);
      break;
    case 'function':
      if (!mayStandInFrom(table.call.name) || table.call.qualifiers.length > 0) {
        refuse(`${table.call.name} cannot be read from`, table.call.at ?? table.at);
      }
      break;
    case 'pivot':
      if (table.enumName !== '') refuse('PIVOT needs its values written out', table.at);
      checkTable(table.source, names, visit);
      break;
    case 'show':
      refuse('DESCRIBE, SHOW and SUMMARIZE cannot be used', table.at);
      break;
    case 'none':
    case 'values':
      break;
  }
  for (const expression of expressionsIn(table)) checkWithin(expression, names, visit);
};

/** Names that no file, no address and no view of DuckDB's own can have in a wrong scope. */
const commonTableName = /^[\p{L}_][\p{L}\p{N}_$ -]*$/u;
const reserved = /^(duckdb|pg|pragma|sqlite)_/;

const withName = (names: Names, name: string): Names => ({
  ...names,
  tables: new Set([...names.tables, lowered(name)]),
});

const checkNode = (node: QueryNode, outer: Names, visit: Visit): void => {
  let names = outer;
  for (const { name, query } of node.commonTables) {
    if (!commonTableName.test(name) || reserved.test(lowered(name))) {
      visit.refuse(`WITH ${name}: this name cannot be used, take one of letters only`, undefined);
    }
    // Each sees those before it; only a recursive one sees itself, and only in its second part.
    checkNode(query, names, visit);
    names = withName(names, name);
  }
  switch (node.kind) {
    case 'select':
      checkTable(node.from, names, visit);
      break;
    case 'set':
      checkNode(node.left, names, visit);
      checkNode(node.right, names, visit);
      break;
    case 'recursive':
      checkNode(node.left, names, visit);
      checkNode(node.right, withName(names, node.name), visit);
      break;
  }
  for (const expression of expressionsOf(node)) checkWithin(expression, names, visit);
};

/** Nothing but these, by their plain names. */
export const onlyTables = (tables: readonly string[]): TableRule => {
  const given = new Map(tables.map((name) => [lowered(name), name]));
  return (name, qualifiers) => {
    if (qualifiers.length > 0) {
      return { objection: 'tables cannot be named with a catalog or schema' };
    }
    const table = given.get(lowered(name));
    return table === undefined ? { objection: `${name} is not an input of this node` } : { table };
  };
};

const visitOf = (context: GateContext, rule: TableRule, refuse: Refuse): Visit => ({
  context,
  refuse,
  columns: [],
  rule,
  tables: new Set(),
  aggregate: false,
  moment: false,
});

const noNames: Names = { tables: new Set(), parameters: new Set() };

const findings = ({ columns, tables, aggregate, moment }: Visit): Findings => ({
  columns: [...new Map(columns.map((path) => [JSON.stringify(path), path])).values()],
  tables: [...tables],
  aggregate,
  moment,
});

export const visitExpression = (
  expression: Expression,
  context: GateContext,
  refuse: Refuse,
): Findings => {
  const visit = visitOf(context, onlyTables([]), refuse);
  checkWithin(expression, noNames, visit);
  return findings(visit);
};

export const visitQuery = (node: QueryNode, rule: TableRule, refuse: Refuse): Findings => {
  const visit = visitOf('query', rule, refuse);
  checkNode(node, noNames, visit);
  return findings(visit);
};
