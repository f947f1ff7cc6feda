import type { UnpivotConfig } from '../../core/nodes/transformUnpivot.js';
import { quoteName, quoteText } from '../duckdb/quote.js';
import { alignment, aligned } from './align.js';
import { onlyInput } from './building.js';
import type { StepBuilder } from './building.js';
import { requireColumn, slot, stepFailure } from './relation.js';
import type { RelationColumn } from './relation.js';

const pair = quoteName(':pair');

export const unpivotStep: StepBuilder = {
  sqlOf: () => [],
  build: async (context) => {
    const { nodeId } = context;
    const input = onlyInput(context);
    const {
      nameColumn,
      valueColumn,
      includeNulls = false,
      ...config
    } = context.config as UnpivotConfig;
    const columns = await context.resolved(input);
    const places = config.columns.map((name) => requireColumn(nodeId, columns, name));
    const sources = places.map((place) => columns[place] as RelationColumn);
    const to = alignment(sources);
    if (!to) {
      const types = [...new Set(sources.map(({ type }) => type.kind))].join(' and ');
      throw stepFailure(nodeId, `The columns are ${types}: cast them to one type before.`);
    }
    const others = columns.flatMap((column, place) =>
      places.includes(place) ? [] : [{ column, place }],
    );
    const taken = others.find(({ column }) => [nameColumn, valueColumn].includes(column.name));
    if (taken) {
      throw stepFailure(
        nodeId,
        `There is a column ${taken.column.name} already: call it otherwise.`,
      );
    }
    const pairs = sources.map((column, index) => {
      const value = aligned(slot(places[index] ?? 0), column, to);
      return `{'name': ${quoteText(column.name)}, 'value': ${value}}`;
    });
    const kept = others.map(({ place }) => slot(place));
    const items = [...kept, `${pair}.name`, `${pair}.value`];
    const list = items.map((sql, index) => `${sql} AS ${slot(index)}`).join(', ');
    const rows = [...kept, `unnest([${pairs.join(', ')}]) AS ${pair}`].join(', ');
    const where = includeNulls ? '' : ` WHERE ${pair}.value IS NOT NULL`;
    const nullable = includeNulls && sources.some((column) => column.nullable);
    return {
      sql: () => `SELECT ${list} FROM (SELECT ${rows} FROM ${input.sql})${where}`,
      columns: [
        ...others.map(({ column }) => column),
        { name: nameColumn, type: { kind: 'text' }, nullable: false, held: 'typed' },
        { name: valueColumn, nullable, ...to },
      ],
      probes: [],
      rowByRow: false,
    };
  },
};
