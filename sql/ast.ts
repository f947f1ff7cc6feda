/**
 * The form that DuckDB's parser gives a statement, as far as Fluxline knows it. `serialized.ts`
 * reads it and refuses every shape that is not listed here, so that nothing passes unseen.
 */

export interface SqlType {
  /** DuckDB's word: `INTEGER`, `DECIMAL`, `LIST`… `UNBOUND` is a name to be looked up. */
  id: string;
  /** The name of an `UNBOUND` type. */
  name?: string;
  /** Whether that name says where to look it up. */
  qualified?: boolean;
  width?: number;
  scale?: number;
  /** The types within a list, array, struct, map or union. */
  children: readonly SqlType[];
}

export interface Order {
  expression: Expression;
  descending: boolean;
}

interface Common {
  alias: string;
  /** Offset in bytes of the statement's UTF-8 form; absent for what the parser made up. */
  at: number | undefined;
}

export interface ColumnExpression extends Common {
  kind: 'column';
  path: readonly string[];
}

export interface ConstantExpression extends Common {
  kind: 'constant';
  type: SqlType;
  /** Numbers in full; decimals without their point. Undefined for NULL and nested values. */
  value: string | undefined;
  isNull: boolean;
}

interface Call extends Common {
  /** Lower case, as the parser has it unless it was quoted. */
  name: string;
  /** What stood before the name and a dot: a schema, or the column of `column.call()`. */
  qualifiers: readonly string[];
  children: readonly Expression[];
  filter: Expression | undefined;
  distinct: boolean;
  orders: readonly Order[];
}

export interface FunctionExpression extends Call {
  kind: 'function';
}

export interface WindowExpression extends Call {
  kind: 'window';
  partitions: readonly Expression[];
  /** Orders within the arguments. */
  argumentOrders: readonly Order[];
  /** Frame bounds, offsets and defaults. */
  bounds: readonly Expression[];
}

export type Comparison = '=' | '<>' | '<' | '<=' | '>' | '>=' | 'distinct' | 'not distinct';

export interface ComparisonExpression extends Common {
  kind: 'comparison';
  operator: Comparison;
  left: Expression;
  right: Expression;
}

export interface ConjunctionExpression extends Common {
  kind: 'conjunction';
  operator: 'and' | 'or';
  children: readonly Expression[];
}

export type Operator =
  | 'not'
  | 'is null'
  | 'is not null'
  | 'in'
  | 'not in'
  | 'coalesce'
  | 'element'
  | 'slice'
  | 'field'
  | 'array'
  | 'try'
  | 'unpack'
  | 'grouping';

export interface OperatorExpression extends Common {
  kind: 'operator';
  operator: Operator;
  children: readonly Expression[];
}

export interface BetweenExpression extends Common {
  kind: 'between';
  input: Expression;
  lower: Expression;
  upper: Expression;
}

export interface CaseExpression extends Common {
  kind: 'case';
  branches: readonly { when: Expression; then: Expression }[];
  otherwise: Expression;
}

export interface CastExpression extends Common {
  kind: 'cast';
  child: Expression;
  type: SqlType;
  /** NULL instead of an error. */
  forgiving: boolean;
}

/** `x -> x + 1` and, outside of functions that take one, the arrow of JSON. */
export interface LambdaExpression extends Common {
  kind: 'lambda';
  left: Expression;
  body: Expression;
}

export interface CollateExpression extends Common {
  kind: 'collate';
  child: Expression;
  collation: string;
}

export interface SubqueryExpression extends Common {
  kind: 'subquery';
  child: Expression | undefined;
  query: QueryNode;
}

export interface StarExpression extends Common {
  kind: 'star';
  relation: string;
  /** Written `COLUMNS(…)`. */
  columns: boolean;
  expression: Expression | undefined;
  replacements: readonly Expression[];
}

export interface OtherExpression extends Common {
  kind: 'parameter' | 'position' | 'default';
}

export type Expression =
  | ColumnExpression
  | ConstantExpression
  | FunctionExpression
  | WindowExpression
  | ComparisonExpression
  | ConjunctionExpression
  | OperatorExpression
  | BetweenExpression
  | CaseExpression
  | CastExpression
  | LambdaExpression
  | CollateExpression
  | SubqueryExpression
  | StarExpression
  | OtherExpression;

interface PlaceInText {
  alias: string;
  at: number | undefined;
}

export type TableRef = PlaceInText &
  (
    | { kind: 'none' }
    | { kind: 'table'; name: string; qualifiers: readonly string[] }
    | { kind: 'join'; left: TableRef; right: TableRef; condition: Expression | undefined }
    | { kind: 'subquery'; query: QueryNode }
    | { kind: 'function'; call: FunctionExpression }
    | { kind: 'values'; rows: readonly (readonly Expression[])[] }
    | { kind: 'pivot'; source: TableRef; expressions: readonly Expression[]; enumName: string }
    | { kind: 'show' }
  );

export interface CommonTable {
  name: string;
  query: QueryNode;
  /** Columns that `USING KEY` names. */
  keys: readonly Expression[];
}

interface NodeFrame {
  commonTables: readonly CommonTable[];
  /** Whatever ORDER BY, LIMIT, OFFSET and DISTINCT ON name. */
  modifiers: readonly Expression[];
  /** Whether there is an ORDER BY, LIMIT, OFFSET or DISTINCT at all. */
  modified: boolean;
}

export interface SelectNode extends NodeFrame {
  kind: 'select';
  select: readonly Expression[];
  from: TableRef;
  where: Expression | undefined;
  groups: readonly Expression[];
  /** GROUP BY ALL, grouping sets, HAVING, QUALIFY or a sample, of which only some have expressions. */
  shaped: boolean;
  having: Expression | undefined;
  qualify: Expression | undefined;
}

export interface SetNode extends NodeFrame {
  kind: 'set';
  left: QueryNode;
  right: QueryNode;
}

export interface RecursiveNode extends NodeFrame {
  kind: 'recursive';
  name: string;
  left: QueryNode;
  right: QueryNode;
  keys: readonly Expression[];
}

export type QueryNode = SelectNode | SetNode | RecursiveNode;
