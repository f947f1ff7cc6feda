/** Users' expressions and queries, checked before any of them is part of a statement. */
import { checkExpression, checkQuery, expressionProbes, queryProbe } from '../../sql/gate.js';
import type { CheckedExpression, CheckedQuery } from '../../sql/gate.js';
import { SqlRefusal } from '../../sql/refusal.js';
import type { DuckStatement } from '../duckdb/program.js';
import { stepFailure } from './relation.js';

/** A text in a node's configuration. */
export interface UserSql {
  nodeId: string;
  /** Where in the configuration, in words: `where`, `columns amount`… */
  place: string;
  text: string;
}

export interface UserExpression extends UserSql {
  context: 'row' | 'aggregate';
}

export interface UserQuery extends UserSql {
  context: 'query';
  /** The relations it may read. */
  tables: readonly string[];
}

export type CheckedSql = Pick<CheckedExpression, 'columns' | 'moment'>;

const positioned = ({ place: at }: UserSql, refusal: SqlRefusal): string => {
  const { place, message } = refusal;
  const where = place ? ` at line ${place.line}, column ${place.column}` : '';
  return `In ${at}${where}: ${message}.`;
};

const orRefusal = <Result>(sql: UserSql, check: () => Result): Result => {
  try {
    return check();
  } catch (error) {
    if (error instanceof SqlRefusal) throw stepFailure(sql.nodeId, positioned(sql, error));
    throw error;
  }
};

const statement = (text: string): DuckStatement => ({
  sql: 'SELECT json_serialize_sql(?::VARCHAR)',
  values: [text],
});

const serializations = (sql: UserExpression | UserQuery): DuckStatement[] =>
  orRefusal(sql, () =>
    (sql.context === 'query' ? [queryProbe(sql.text)] : expressionProbes(sql.text)).map(statement),
  );

const check = (sql: UserExpression | UserQuery, answers: readonly string[]): CheckedSql =>
  orRefusal(sql, () => {
    const [first = '', second = ''] = answers;
    if (sql.context !== 'query') return checkExpression(sql.text, [first, second], sql.context);
    const { moment }: CheckedQuery = checkQuery(sql.text, first, sql.tables);
    return { columns: [], moment };
  });

/** `serialize` runs the statements and gives the one cell that each answers. */
export const checkAll = async <Sql extends UserExpression | UserQuery>(
  texts: readonly Sql[],
  serialize: (statements: readonly DuckStatement[]) => Promise<readonly string[]>,
): Promise<ReadonlyMap<Sql, CheckedSql>> => {
  const asked = texts.map((text) => serializations(text));
  const answers = texts.length === 0 ? [] : await serialize(asked.flat());
  let next = 0;
  return new Map(
    texts.map((text, index) => {
      const end = next + (asked[index]?.length ?? 0);
      const checked = check(text, answers.slice(next, end));
      next = end;
      return [text, checked];
    }),
  );
};
