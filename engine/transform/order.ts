import type { SortConfig } from '../../core/nodes/transformSort.js';
import type { DedupeConfig } from '../../core/nodes/transformDedupe.js';
import { quoteName } from '../duckdb/quote.js';
import { onlyInput } from './building.js';
import type { StepBuilder } from './building.js';
import { keyOf, orderItems, orderSql } from './keys.js';
import { requireColumn, slots } from './relation.js';
import type { DraftColumn } from './relation.js';

const arrival = quoteName(':arrival');
const rank = quoteName(':rank');
const numbered = `row_number() OVER () AS ${arrival}`;

/** Equal rows stay in the order in which they arrived, so that a limit always cuts the same. */
export const sortStep: StepBuilder = {
  sqlOf: () => [],
  build: (context) => {
    const { sql: relation, columns } = onlyInput(context);
    const { orderBy, limit } = context.config as SortConfig;
    const places = orderBy.map(({ column }) => requireColumn(context.nodeId, columns, column));
    const { items, names } = orderItems(columns, places);
    const all = slots(columns.length).join(', ');
    const order = [...orderSql(orderBy, names, false), arrival].join(', ');
    return {
      sql: () =>
        `SELECT ${all} FROM (SELECT ${all}, ${items.join(', ')}, ${numbered} FROM ${relation}) ` +
        `ORDER BY ${order}${limit === undefined ? '' : ` LIMIT ${limit}`}`,
      columns,
      probes: [],
      rowByRow: false,
    };
  },
};

export const dedupeStep: StepBuilder = {
  sqlOf: () => [],
  build: (context) => {
    const { nodeId } = context;
    const { sql: relation, columns } = onlyInput(context);
    const { keys, keep, orderBy = [] } = context.config as DedupeConfig;
    const keyItems = keys.map((name, index) => {
      const place = requireColumn(nodeId, columns, name);
      const { sql } = keyOf(columns[place] as DraftColumn, place);
      return { name: quoteName(`:key${index}`), sql };
    });
    const places = orderBy.map(({ column }) => requireColumn(nodeId, columns, column));
    const { items, names } = orderItems(columns, places);
    const all = slots(columns.length).join(', ');
    const reversed = keep === 'last';
    const order = [
      ...orderSql(orderBy, names, reversed),
      `${arrival} ${reversed ? 'DESC' : 'ASC'}`,
    ].join(', ');
    const partition = keyItems.map(({ name }) => name).join(', ');
    const keyed = [...keyItems.map(({ sql, name }) => `${sql} AS ${name}`), ...items, numbered];
    return {
      sql: () =>
        `SELECT ${all} FROM (SELECT ${all}, ` +
        `row_number() OVER (PARTITION BY ${partition} ORDER BY ${order}) AS ${rank} ` +
        `FROM (SELECT ${all}, ${keyed.join(', ')} FROM ${relation})) WHERE ${rank} = 1`,
      columns,
      probes: [],
      rowByRow: false,
    };
  },
};
