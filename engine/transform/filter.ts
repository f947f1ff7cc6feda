import type { FilterConfig } from '../../core/nodes/transformFilter.js';
import { placeExpression } from '../../sql/gate.js';
import { onlyInput } from './building.js';
import type { StepBuilder } from './building.js';
import type { UserExpression } from './expressions.js';
import { slots } from './relation.js';
import { namedPlaces, probeOf, rowNames, scopeSql, typedAliases } from './scope.js';

const whereOf = (nodeId: string, config: unknown): UserExpression => ({
  nodeId,
  place: 'where',
  text: (config as FilterConfig).where,
  context: 'row',
});

/** Rows go on as they came: what the condition needs as values stands beside them. */
export const filterStep: StepBuilder = {
  sqlOf: (nodeId, config) => [whereOf(nodeId, config)],
  build: (context) => {
    const { nodeId } = context;
    const { sql: relation, columns } = onlyInput(context);
    const where = whereOf(nodeId, context.config);
    const places = namedPlaces(columns, rowNames([context.checked(where)]));
    const aliases = typedAliases(nodeId, columns, places);
    return {
      sql: (carried) => {
        const all = [...slots(columns.length), ...carried];
        return (
          `SELECT ${all.join(', ')} FROM (${scopeSql(relation, all, aliases)}) ` +
          `WHERE ${placeExpression(where.text)}`
        );
      },
      columns,
      probes: [probeOf(where, columns, `FROM (${scopeSql(relation, [], aliases)})`, true)],
      rowByRow: true,
    };
  },
};
