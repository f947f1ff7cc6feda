import type { SelectConfig } from '../../core/nodes/transformSelect.js';
import { parseDataType } from '../../core/dataTypes.js';
import type { DataType } from '../../core/dataTypes.js';
import { duckType } from '../duckdb/types.js';
import { onlyInput } from './building.js';
import type { StepBuilder } from './building.js';
import { requireColumn, slot, stepFailure } from './relation.js';
import type { DraftColumn, RelationColumn } from './relation.js';
import { toText } from './toText.js';
import { isInexact, toTyped } from './toTyped.js';

interface Picked {
  sql: string;
  column: DraftColumn;
}

const number = '[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?';

/** Digits beyond what DuckDB holds stay text, which has to be that of a number. */
const asNumberText = (text: string): string =>
  `CASE WHEN NOT regexp_full_match(trim(${text}), '${number}|NaN|[-+]?Infinity') ` +
  `THEN error('not a number') ELSE trim(${text}) END`;

const sameType = (one: DataType, other: DataType): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/** Its text as PostgreSQL's own cast to text would have it. */
const asText = (reference: string, { type, held }: RelationColumn): string => {
  if (held === 'typed') return toText(reference, type);
  return type.kind === 'boolean' ? toText(toTyped(reference, type), type) : reference;
};

const value = (reference: string, { type, held }: RelationColumn): string =>
  held === 'text' ? toTyped(reference, type) : reference;

const cast = (reference: string, column: RelationColumn, type: DataType): Picked => {
  const { name, nullable } = column;
  const result = (sql: string, held: 'text' | 'typed'): Picked => ({
    sql,
    column: { name, type, nullable, held },
  });
  if (column.held === 'text' && sameType(column.type, type)) {
    return { sql: reference, column };
  }
  const fromText = column.type.kind === 'text';
  if (isInexact(type)) {
    const text = column.held === 'text' ? reference : toText(reference, column.type);
    return result(asNumberText(text), 'text');
  }
  if (type.kind === 'text') return result(asText(reference, column), 'text');
  if (fromText) return result(toTyped(asText(reference, column), type), 'typed');
  if (type.kind === 'json') return result(`to_json(${value(reference, column)})`, 'typed');
  return result(`CAST(${value(reference, column)} AS ${duckType(type)})`, 'typed');
};

export const selectStep: StepBuilder = {
  sqlOf: () => [],
  build: async (context) => {
    const { nodeId } = context;
    const input = onlyInput(context);
    const { columns: wanted } = context.config as SelectConfig;
    // What a cast has to do depends on what it is that is cast.
    const casts = wanted.some((column) => column.cast !== undefined);
    const columns = casts ? await context.resolved(input) : input.columns;
    const picked = wanted.map(({ name, from = name, cast: word }): Picked => {
      const place = requireColumn(nodeId, columns, from);
      const column = columns[place] as RelationColumn;
      const type = word === undefined ? undefined : parseDataType(word);
      if (word !== undefined && !type) throw stepFailure(nodeId, `There is no type ${word}.`);
      const renamed = { ...column, name };
      return type ? cast(slot(place), renamed, type) : { sql: slot(place), column: renamed };
    });
    const items = picked.map(({ sql }, index) => `${sql} AS ${slot(index)}`);
    return {
      sql: (carried) => `SELECT ${[...items, ...carried].join(', ')} FROM ${input.sql}`,
      columns: picked.map(({ column }) => column),
      probes: [],
      rowByRow: true,
    };
  },
};
