/**
 * What users' queries may say before PostgreSQL sees them. Its own parser reads them; node types,
 * functions and catalogs that are not named here are refused, however deep they are.
 */
import { parse } from 'libpg-query';
import { isStorableText } from '../../core/text.js';
import { mostCharacters } from '../limits.js';
import { offsetOfByte, offsetOfCharacter, placeOf } from '../place.js';
import { SqlRefusal } from '../refusal.js';
import { postgresCatalog, postgresFunctions } from './postgresFunctions.js';

/** What the query means depends on these, and a schema may have its own ones under the same names. */
export interface PostgresNames {
  functions: readonly string[];
  operators: readonly string[];
}

const nodeTypes: ReadonlySet<string> = new Set(
  `A_ArrayExpr A_Const A_Expr A_Indices A_Indirection A_Star Alias BitString BoolExpr Boolean
   BooleanTest CaseExpr CaseWhen CoalesceExpr CollateClause ColumnDef ColumnRef CommonTableExpr Float
   FuncCall GroupingFunc GroupingSet Integer JoinExpr JsonAggConstructor JsonArgument JsonArrayAgg
   JsonArrayConstructor JsonArrayQueryConstructor JsonFormat JsonFuncExpr JsonIsPredicate
   JsonKeyValue JsonObjectAgg JsonObjectConstructor JsonOutput JsonParseExpr JsonReturning
   JsonScalarExpr JsonSerializeExpr JsonTable JsonTableColumn JsonTablePathSpec JsonValueExpr List
   MinMaxExpr NamedArgExpr NullTest RangeFunction RangeSubselect RangeTableSample RangeVar ResTarget
   RowExpr SQLValueFunction SelectStmt SortBy String SubLink TypeCast TypeName WindowDef WithClause`
    .trim()
    .split(/\s+/),
);

/** Parts of allowed nodes that do more than read. */
const refusedParts: ReadonlyMap<string, string> = new Map([
  ['intoClause', 'SELECT INTO creates a table'],
  ['lockingClause', 'it locks rows (FOR UPDATE, FOR SHARE)'],
  ['pct_type', '%TYPE is not for queries'],
  ['useOp', 'ORDER BY USING names an operator of its own'],
]);

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A name in its parts, such as schema and function. */
const nameIn = (value: unknown): string[] =>
  (Array.isArray(value) ? value : []).map((part: unknown) => {
    const text = isFields(part) && isFields(part['String']) ? part['String']['sval'] : undefined;
    return typeof text === 'string' ? text : '';
  });

interface Walk {
  refuse: (message: string, at: unknown) => never;
  functions: Set<string>;
  operators: Set<string>;
}

const builtIn = (parts: readonly string[]): string | undefined => {
  const [first, second, ...more] = parts;
  if (second === undefined) return first;
  return first === 'pg_catalog' && more.length === 0 ? second : undefined;
};

const visitCall = ({ funcname, location }: Fields, walk: Walk): void => {
  const parts = nameIn(funcname);
  const name = builtIn(parts);
  if (name === undefined || !postgresFunctions.has(name)) {
    return walk.refuse(`it calls ${parts.join('.')}(), which is not an allowed function`, location);
  }
  // Written with its schema it cannot mean another one.
  if (parts.length === 1) walk.functions.add(name);
};

const visitOperator = (name: unknown, location: unknown, walk: Walk): void => {
  const parts = nameIn(name);
  if (parts.length === 0) return;
  const operator = builtIn(parts);
  if (operator === undefined) {
    return walk.refuse(`it uses the operator ${parts.join('.')} of another schema`, location);
  }
  // BETWEEN and its like are words.
  if (parts.length === 1 && !/^[a-z]/i.test(operator)) walk.operators.add(operator);
};

const visitSampling = ({ method, location }: Fields, walk: Walk): void => {
  if (['bernoulli', 'system'].includes(nameIn(method).join('.'))) return;
  walk.refuse('it samples by a method of an extension', location);
};

const visitRelation = (
  { catalogname, schemaname, relname, location }: Fields,
  walk: Walk,
): void => {
  const name = typeof relname === 'string' ? relname : '';
  if (catalogname !== undefined) walk.refuse('a table of another database', location);
  if (schemaname === 'pg_toast') walk.refuse('pg_toast holds parts of other tables', location);
  const ofSystem = schemaname === 'pg_catalog' || (schemaname === undefined && /^pg_/.test(name));
  if (ofSystem && !postgresCatalog.has(name)) {
    walk.refuse(`it reads ${name}, which is not one of the allowed system catalogs`, location);
  }
};

const visit = (value: unknown, walk: Walk): void => {
  if (Array.isArray(value)) for (const item of value) visit(item, walk);
  if (!isFields(value)) return;
  for (const [key, part] of Object.entries(value)) {
    const why = refusedParts.get(key);
    if (why !== undefined && part !== false) walk.refuse(why, undefined);
    // Kinds of nodes begin with a capital, their parts do not.
    if (/^[A-Z]/.test(key)) {
      const at = isFields(part) ? part['location'] : undefined;
      if (!nodeTypes.has(key)) walk.refuse(`it holds ${key}, which queries may not`, at);
      if (isFields(part)) {
        if (key === 'FuncCall') visitCall(part, walk);
        if (key === 'A_Expr') visitOperator(part['name'], at, walk);
        if (key === 'SubLink') visitOperator(part['operName'], at, walk);
        if (key === 'RangeTableSample') visitSampling(part, walk);
        if (key === 'RangeVar') visitRelation(part, walk);
      }
    }
    visit(part, walk);
  }
};

interface ParserError {
  sqlDetails?: { message: string; cursorPosition: number };
}

/** Trees that are too deep for the parser, or for us, are nobody's query. */
const refusingDepth = (error: unknown): unknown =>
  error instanceof RangeError ? new SqlRefusal('it is nested too deeply') : error;

const statementsOf = async (text: string): Promise<readonly unknown[]> => {
  if (text.trim() === '') return [];
  try {
    const { stmts = [] } = await parse(text);
    return stmts.map(({ stmt }) => stmt);
  } catch (error) {
    const { sqlDetails } = error as ParserError;
    if (!sqlDetails) throw refusingDepth(error);
    const offset = offsetOfCharacter(text, Math.max(0, sqlDetails.cursorPosition));
    throw new SqlRefusal(sqlDetails.message, placeOf(text, offset));
  }
};

/** Refuses what is not one query that only reads; says which names it relies on. */
export const checkPostgresQuery = async (text: string): Promise<PostgresNames> => {
  if (text.length > mostCharacters) {
    throw new SqlRefusal(`it is longer than ${mostCharacters} characters`);
  }
  if (!isStorableText(text)) throw new SqlRefusal('it has characters that are not valid text');
  const refuse = (message: string, at: unknown): never => {
    const offset = typeof at === 'number' && at >= 0 ? offsetOfByte(text, at) : undefined;
    throw new SqlRefusal(message, offset === undefined ? undefined : placeOf(text, offset));
  };
  const [statement, ...more] = await statementsOf(text);
  if (more.length > 0) throw new SqlRefusal('it is more than one statement');
  if (!isFields(statement) || !('SelectStmt' in statement)) {
    throw new SqlRefusal('it is not a query: only SELECT, VALUES, TABLE and WITH can be run');
  }
  const walk: Walk = { refuse, functions: new Set(), operators: new Set() };
  try {
    visit(statement, walk);
  } catch (error) {
    throw refusingDepth(error);
  }
  return { functions: [...walk.functions], operators: [...walk.operators] };
};
