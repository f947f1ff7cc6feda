import type { UnionConfig } from '../../core/nodes/transformUnion.js';
import { alignment, aligned } from './align.js';
import type { Aligned } from './align.js';
import type { Relation, StepBuilder } from './building.js';
import { keyOf } from './keys.js';
import { slot, slots, stepFailure } from './relation.js';
import type { RelationColumn } from './relation.js';

interface Input {
  sql: string;
  columns: readonly RelationColumn[];
}

/** Where each column of the result is in each input. */
interface Place {
  name: string;
  in: readonly (number | undefined)[];
}

const byPosition = (nodeId: string, inputs: readonly Input[]): Place[] => {
  const [first] = inputs;
  const counts = inputs.map(({ columns }) => columns.length);
  if (counts.some((count) => count !== counts[0])) {
    const message = `The inputs have ${counts.join(', ')} columns: select the same number of each.`;
    throw stepFailure(nodeId, message);
  }
  return (first?.columns ?? []).map(({ name }, index) => ({ name, in: inputs.map(() => index) }));
};

const byName = (inputs: readonly Input[]): Place[] => {
  const names = new Set(inputs.flatMap(({ columns }) => columns.map(({ name }) => name)));
  return [...names].map((name) => ({
    name,
    in: inputs.map(({ columns }) => {
      const place = columns.findIndex((column) => column.name === name);
      return place < 0 ? undefined : place;
    }),
  }));
};

interface Merged {
  column: RelationColumn;
  to: Aligned;
}

const mergedColumn = (
  nodeId: string,
  { name, in: places }: Place,
  inputs: readonly Input[],
): Merged => {
  const sources = places.flatMap((place, index) => {
    const column = place === undefined ? undefined : inputs[index]?.columns[place];
    return column ? [column] : [];
  });
  const to = alignment(sources);
  if (!to) {
    const types = [...new Set(sources.map(({ type }) => type.kind))].join(' and ');
    throw stepFailure(nodeId, `The column ${name} is ${types}: cast it to one type before.`);
  }
  const [first] = sources;
  const native = first?.native;
  const sameNative = sources.every(
    (column) => JSON.stringify(column.native) === JSON.stringify(native),
  );
  const nullable = sources.length < inputs.length || sources.some((column) => column.nullable);
  const keeps = native && sameNative && to.held === 'text';
  return { column: { name, nullable, ...to, ...(keeps ? { native } : {}) }, to };
};

const selectOf = (
  { sql, columns }: Input,
  index: number,
  places: readonly Place[],
  merged: readonly Merged[],
): string => {
  const items = places.map((place, at) => {
    const from = place.in[index];
    const column = from === undefined ? undefined : columns[from];
    const to = merged[at]?.to;
    const value = column && to && from !== undefined ? aligned(slot(from), column, to) : 'NULL';
    return `${value} AS ${slot(at)}`;
  });
  return `SELECT ${items.join(', ')} FROM ${sql}`;
};

/** Rows are equal where their values are, however these are written. */
const distinct = (sql: string, columns: readonly RelationColumn[]): string => {
  const keys = columns.map((column, place) => `${keyOf(column, place).sql} AS ${slot(place)}`);
  return `SELECT DISTINCT ${slots(columns.length).join(', ')} FROM (SELECT ${keys.join(', ')} FROM (${sql}))`;
};

export const unionStep: StepBuilder = {
  sqlOf: () => [],
  build: async (context) => {
    const { nodeId } = context;
    const { all = true, byName: named = false } = context.config as UnionConfig;
    const inputs = await Promise.all(
      context.inputs.map(async (input: Relation) => ({
        sql: input.sql,
        columns: await context.resolved(input),
      })),
    );
    const places = named ? byName(inputs) : byPosition(nodeId, inputs);
    const merged = places.map((place) => mergedColumn(nodeId, place, inputs));
    const columns = merged.map(({ column }) => column);
    const rows = inputs
      .map((input, index) => selectOf(input, index, places, merged))
      .join(' UNION ALL ');
    return {
      sql: () => (all ? rows : distinct(rows, columns)),
      columns: all
        ? columns
        : columns.map((column, place) => ({ ...keyOf(column, place).column, type: column.type })),
      probes: [],
      rowByRow: false,
    };
  },
};
