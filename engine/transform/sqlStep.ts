import type { SqlConfig } from '../../core/nodes/transformSql.js';
import { parseDataType } from '../../core/dataTypes.js';
import type { DataType } from '../../core/dataTypes.js';
import { relationName } from '../../core/nodes/transformSql.js';
import { quoteName, quoteText } from '../duckdb/quote.js';
import { dataTypeOf } from '../duckdb/types.js';
import type { DescribedColumn, Relation, StepBuilder } from './building.js';
import type { UserQuery } from './expressions.js';
import { isReserved, lowerCase, namesOf, slot, slots, stepFailure } from './relation.js';
import type { DraftColumn, RelationColumn } from './relation.js';
import { requireUsable, typedColumn } from './scope.js';
import { isInexact } from './toTyped.js';

/** Words by which a query may use columns without naming them. */
const anyColumn = /\b(?:natural|columns|unpivot|summarize|any_value)\b/i;

const isNamed = (text: string, { name }: DraftColumn): boolean =>
  anyColumn.test(text) || lowerCase(text).includes(lowerCase(name.replaceAll('"', '""')));

const wordOf = (type: DataType): string =>
  type.kind === 'decimal' ? `decimal(${type.precision},${type.scale})` : type.kind;

const exactField = 'exact ';

/**
 * Numbers that DuckDB cannot hold go through a query that does not name them inside a struct, whose
 * field tells what they are: `SELECT *` hands on every digit.
 */
const throughQuery = (text: string, column: DraftColumn, place: number): string => {
  const name = quoteName(column.name);
  if (column.held === 'text' && column.type && isInexact(column.type) && !isNamed(text, column)) {
    const field = quoteName(`${exactField}${wordOf(column.type)}`);
    return `struct_pack(${field} := ${slot(place)}) AS ${name}`;
  }
  return `${typedColumn(column, slot(place))} AS ${name}`;
};

const exactType = /^STRUCT\("exact ([^"]+)" VARCHAR\)$/;

/** What DESCRIBE says of a query's column, and how the column is taken out of it. */
const takenOut = (
  { name, duckType }: DescribedColumn,
  reference: string,
): { column: RelationColumn; sql: string } => {
  const exact = parseDataType(exactType.exec(duckType)?.[1] ?? '');
  if (!exact) {
    const column: RelationColumn = {
      name,
      type: dataTypeOf(duckType),
      nullable: true,
      held: 'typed',
    };
    return { column, sql: reference };
  }
  const field = quoteText(`${exactField}${wordOf(exact)}`);
  return {
    column: { name, type: exact, nullable: true, held: 'text' },
    sql: `struct_extract(${reference}, ${field})`,
  };
};

const namesOfInputs = (inputs: readonly { port: string; from: string }[]): string[] =>
  inputs.map(({ port, from }) => relationName(port, from));

const queryOf = (
  nodeId: string,
  config: unknown,
  inputs: readonly { port: string; from: string }[],
): UserQuery => ({
  nodeId,
  place: 'sql',
  text: (config as SqlConfig).sql,
  context: 'query',
  tables: namesOfInputs(inputs),
});

const requireNames = (nodeId: string, names: readonly string[]): void => {
  const seen = new Set<string>();
  for (const name of names) {
    if (isReserved(name) || seen.has(lowerCase(name))) {
      throw stepFailure(nodeId, `An input cannot be called ${name}: give its node another id.`);
    }
    seen.add(lowerCase(name));
  }
};

/** The inputs under the names users have for them, and all that is in front of the query. */
const beforeQuery = (nodeId: string, inputs: readonly Relation[], text: string): string => {
  const names = namesOfInputs(inputs);
  requireNames(nodeId, names);
  const tables = inputs.map(({ sql, columns }, index) => {
    requireUsable(nodeId, columns, new Set(columns.keys()));
    const items = columns.map((column, place) => throughQuery(text, column, place));
    return `${quoteName(names[index] ?? '')} AS (SELECT ${items.join(', ')} FROM ${sql})`;
  });
  return `WITH ${tables.join(', ')} SELECT * FROM (\n`;
};

export const sqlStep: StepBuilder = {
  sqlOf: (nodeId, config, inputs) => [queryOf(nodeId, config, inputs)],
  build: async (context) => {
    const { nodeId, inputs } = context;
    const { sql: text } = context.config as SqlConfig;
    const before = beforeQuery(nodeId, inputs, text);
    const query = `${before}${text}\n)`;
    const described = await context.described({
      sql: `DESCRIBE ${query}`,
      before: `DESCRIBE ${before}`,
      text,
      nodeId,
      place: 'sql',
      known: namesOf(inputs.flatMap(({ columns }) => columns)),
      condition: false,
    });
    const taken = described.map((column, index) => takenOut(column, slot(index)));
    const items = taken.map(({ sql }, index) => `${sql} AS ${slot(index)}`);
    const names = slots(described.length).join(', ');
    return {
      sql: () => `SELECT ${items.join(', ')} FROM (${query}) AS result(${names})`,
      columns: taken.map(({ column }) => column),
      probes: [],
      rowByRow: false,
    };
  },
};
