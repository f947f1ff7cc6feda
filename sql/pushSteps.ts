/** How many of a stage's first steps a PostgreSQL source can do itself, and how. */
import type { Column, DataType } from '../core/dataTypes.js';
import { parseDataType } from '../core/dataTypes.js';
import type { Step } from '../core/plan/stage.js';
import type { Expression } from './ast.js';
import { lowered } from './functions.js';
import { columnPiece, translate } from './pushdown.js';
import type { Lookup, PushedExpression } from './pushdown.js';
import { translateCast } from './pushCast.js';
import { castSql, every, mostDigits } from './pushPiece.js';
import type { Piece } from './pushPiece.js';
import { postgresType, quoteName } from './postgresText.js';

/** A column on its way: `piece` where expressions may name it. */
interface Passing {
  column: Column;
  sql: string;
  piece: Piece | undefined;
}

interface State {
  passing: readonly Passing[];
  where: readonly string[];
}

/** Shaped as connectors take it. */
export interface PushedQuery {
  columns: readonly { name: string; expression: string }[];
  where: readonly string[];
}

export interface PushedSteps {
  pushed: PushedQuery;
  /** What the source gives then. */
  columns: readonly Column[];
  /** What is left to do. */
  rest: readonly Step[];
}

/** As `format_type` may write the types whose values expressions may look at. */
const spelling: ReadonlyMap<string, RegExp> = new Map([
  ['text', /^(text|character varying(\(\d+\))?)$/],
  ['timestamp', /^timestamp(\(\d\))? without time zone$/],
  ['timestamptz', /^timestamp(\(\d\))? with time zone$/],
]);

/** Another type may be among those that are `type` to us, as enums are text. */
const isItself = ({ type, native }: Column): boolean =>
  native?.system === 'postgres' &&
  (spelling.get(type.kind)?.test(native.type) ?? native.type === postgresType(type));

const passingOf = (column: Column): Passing => ({
  column,
  sql: quoteName(column.name),
  piece: isItself(column) ? columnPiece(column.name, column.type) : undefined,
});

/** Spelled like this, or else the only one in other case: as DuckDB and its callers have it. */
const find = (passing: readonly Passing[], name: string): Passing | undefined => {
  const exact = passing.find(({ column }) => column.name === name);
  if (exact) return exact;
  const alike = passing.filter(({ column }) => lowered(column.name) === lowered(name));
  return alike.length === 1 ? alike[0] : undefined;
};

const lookupIn =
  (passing: readonly Passing[]): Lookup =>
  (name) =>
    find(passing, name)?.piece;

const derived = (name: string, { sql, type, mayFail }: PushedExpression): Passing => {
  const native = postgresType(type);
  return {
    column: {
      name,
      type,
      nullable: true,
      ...(native === undefined
        ? {}
        : { native: { system: 'postgres', type: native, portable: true } as const }),
    },
    sql,
    piece: { sql: `(${sql})`, type, mayFail, varies: mayFail },
  };
};

type Asts = ReadonlyMap<string, Expression>;

const filtered = (state: State, where: string, asts: Asts): State | undefined => {
  const ast = asts.get(where);
  const condition = ast && translate(ast, lookupIn(state.passing));
  if (condition?.type.kind !== 'boolean' || condition.mayFail) return undefined;
  return { ...state, where: [...state.where, condition.sql] };
};

const castTo = (passing: Passing, name: string, word: string): Passing | undefined => {
  const type: DataType | undefined = parseDataType(word);
  const within = type && (type.kind !== 'decimal' || type.precision <= mostDigits);
  const cast =
    within && passing.piece?.mayFail === false ? translateCast(passing.piece, type) : undefined;
  const sql = cast && castSql(cast.sql, cast.type);
  return cast && sql !== undefined ? derived(name, { ...cast, sql }) : undefined;
};

interface Selected {
  name: string;
  from?: string;
  cast?: string;
}

const selected = (state: State, columns: readonly Selected[]): State | undefined => {
  const passing: Passing[] = [];
  for (const { name, from, cast } of columns) {
    const found = find(state.passing, from ?? name);
    if (!found) return undefined;
    const next =
      cast === undefined
        ? { ...found, column: { ...found.column, name } }
        : castTo(found, name, cast);
    if (!next) return undefined;
    passing.push(next);
  }
  return { ...state, passing };
};

interface Derived {
  name: string;
  expression: string;
}

/** Each sees those before it; one whose name is there takes its place. */
const extended = (state: State, columns: readonly Derived[], asts: Asts): State | undefined => {
  let { passing } = state;
  for (const { name, expression } of columns) {
    const ast = asts.get(expression);
    const translated = ast && translate(ast, lookupIn(passing));
    if (!translated) return undefined;
    const next = derived(name, translated);
    const place = passing.findIndex(({ column }) => column.name === name);
    passing = place >= 0 ? passing.with(place, next) : [...passing, next];
  }
  return { ...state, passing };
};

const advance = (state: State, { type, config }: Step, asts: Asts): State | undefined => {
  switch (type) {
    case 'transform.filter':
      return filtered(state, (config as { where: string }).where, asts);
    case 'transform.select':
      return selected(state, (config as { columns: readonly Selected[] }).columns);
    case 'transform.derive':
      return extended(state, (config as { columns: readonly Derived[] }).columns, asts);
    default:
      return undefined;
  }
};

/** What columns are called after a step that passes every row and all of them on. */
const namesAfter = (names: readonly string[], { type, config }: Step): string[] | undefined => {
  const list = (config as { columns?: readonly (Selected | Derived)[] }).columns ?? [];
  if (type === 'transform.derive') {
    return list.some(({ name }) => names.includes(name)) ? undefined : [...names];
  }
  if (type !== 'transform.select') return undefined;
  const after = names.map((old) =>
    (list as readonly Selected[]).find(({ name, from }) => (from ?? name) === old),
  );
  return every(after)?.map(({ name }) => name);
};

/** Whether what may fail is in the rows to the end of the stage. */
const staysToTheEnd = ({ passing }: State, later: readonly Step[]): boolean => {
  const failing = passing.filter(({ piece }) => piece?.mayFail).map(({ column }) => column.name);
  if (failing.length === 0) return true;
  let names: readonly string[] | undefined = failing;
  for (const step of later) names &&= namesAfter(names, step);
  return names !== undefined;
};

/**
 * `asts`: by their text, what the gate made of the steps' expressions. As many of the first steps
 * as the source can do, each wholly or not at all; undefined if there is none.
 *
 * What may fail is pushed only if nothing after it leaves rows or columns out: DuckDB might have
 * left them out before it looked at them, and then nothing fails there.
 */
export const pushSteps = (
  steps: readonly Step[],
  columns: readonly Column[],
  asts: Asts,
): PushedSteps | undefined => {
  let state: State = { passing: columns.map(passingOf), where: [] };
  let done = 0;
  for (const step of steps) {
    const next = advance(state, step, asts);
    if (!next || !staysToTheEnd(next, steps.slice(done + 1))) break;
    state = next;
    done += 1;
  }
  if (done === 0) return undefined;
  return {
    pushed: {
      columns: state.passing.map(({ column, sql }) => ({ name: column.name, expression: sql })),
      where: state.where,
    },
    columns: state.passing.map(({ column }) => column),
    rest: steps.slice(done),
  };
};
