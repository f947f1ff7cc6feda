import type { ValidateConfig } from '../../core/nodes/transformValidate.js';
import { placeExpression } from '../../sql/gate.js';
import { quoteName, quoteText } from '../duckdb/quote.js';
import { onlyInput } from './building.js';
import type { RejectPart, StepBuilder } from './building.js';
import type { UserExpression } from './expressions.js';
import { slot, slots } from './relation.js';
import type { RelationColumn } from './relation.js';
import { namedPlaces, probeOf, rowNames, scopeSql, typedAliases } from './scope.js';
import { toText } from './toText.js';

interface Rule {
  id: string;
  expression: string;
  severity?: 'error' | 'warning';
}

const expressionsOf = (nodeId: string, config: unknown): UserExpression[] =>
  (config as ValidateConfig).rules.map(({ id, expression }) => ({
    nodeId,
    place: `the rule ${id}`,
    text: expression,
    context: 'row',
  }));

const severityOf = ({ severity = 'error' }: Rule): 'error' | 'warning' => severity;

/** Not true, and that means NULL as well: nobody knows then whether the row is good. */
const broken = (expression: UserExpression): string =>
  `${placeExpression(expression.text)} IS NOT TRUE`;

/** A row as people read it: every value as text, under the users' names. */
const dataOf = (columns: readonly RelationColumn[]): string => {
  const fields = columns.flatMap(({ name, held, type }, index) => [
    quoteText(name),
    held === 'text' ? slot(index) : toText(slot(index), type),
  ]);
  return `CAST(json_object(${fields.join(', ')}) AS VARCHAR)`;
};

const ordinalName = quoteName(':ordinal');

/** One row for each broken rule of each row, in order. */
const rejectsSql = (
  rules: readonly Rule[],
  expressions: readonly UserExpression[],
  scope: (ordinal: string) => string,
): RejectPart['sql'] => {
  const found = rules.map(
    (rule, index) =>
      `CASE WHEN ${broken(expressions[index] as UserExpression)} THEN ` +
      `{'rule': ${quoteText(rule.id)}, 'severity': ${quoteText(severityOf(rule))}} END`,
  );
  return (columns, ordinal) => {
    const list = `list_filter([${found.join(', ')}], lambda x: x IS NOT NULL)`;
    const rows =
      `SELECT ${ordinalName}, ${list} AS ":broken", ${slots(columns.length).join(', ')} ` +
      `FROM (${scope(ordinal)})`;
    return (
      `SELECT ${ordinalName} AS "row", ":each".rule AS "rule", ` +
      `":each".severity AS "severity", ":data" AS "data" FROM (` +
      `SELECT ${ordinalName}, unnest(":broken") AS ":each", ${dataOf(columns)} AS ":data" ` +
      `FROM (${rows}) WHERE len(":broken") > 0)`
    );
  };
};

export const validateStep: StepBuilder = {
  sqlOf: expressionsOf,
  build: (context) => {
    const { nodeId } = context;
    const { rules, onFailure } = context.config as ValidateConfig;
    const { sql: relation, columns } = onlyInput(context);
    const expressions = expressionsOf(nodeId, context.config);
    const names = rowNames(expressions.map((expression) => context.checked(expression)));
    const aliases = typedAliases(nodeId, columns, namedPlaces(columns, names));
    const all = slots(columns.length);
    const stops = rules.flatMap((rule, index) =>
      severityOf(rule) === 'error' ? [broken(expressions[index] as UserExpression)] : [],
    );
    const keeps =
      onFailure === 'warn' || stops.length === 0 ? '' : ` WHERE NOT (${stops.join(' OR ')})`;
    return {
      sql: (carried) => {
        const items = [...all, ...carried];
        return `SELECT ${items.join(', ')} FROM (${scopeSql(relation, items, aliases)})${keeps}`;
      },
      columns,
      probes: expressions.map((expression) =>
        probeOf(expression, columns, `FROM (${scopeSql(relation, [], aliases)})`, true),
      ),
      rowByRow: true,
      rejects: {
        onFailure,
        sql: rejectsSql(rules, expressions, (ordinal) =>
          scopeSql(relation, [`${ordinal} AS ${ordinalName}`, ...all], aliases),
        ),
      },
    };
  },
};
