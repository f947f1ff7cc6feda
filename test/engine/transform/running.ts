import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseDataType } from '../../../core/dataTypes.js';
import type { Step } from '../../../core/plan/stage.js';
import type { DuckDb } from '../../../engine/duckdb/program.js';
import { compileSteps, inputViewSql } from '../../../engine/transform/compile.js';
import type { Compiled } from '../../../engine/transform/compile.js';
import { readCsvSql, textSelect } from '../../../engine/transform/csv.js';
import type { RelationColumn } from '../../../engine/transform/relation.js';

export type Cell = string | null;

export interface Table {
  columns: readonly RelationColumn[];
  rows: readonly (readonly Cell[])[];
}

/** `{id: 'integer', name: 'text'}` and rows of texts, as a source would send them. */
export const table = (
  types: Readonly<Record<string, string>>,
  rows: readonly (readonly Cell[])[],
): Table => ({
  columns: Object.entries(types).map(([name, word]) => {
    const type = parseDataType(word);
    if (!type) throw new Error(`no type ${word}`);
    return { name, type, nullable: true, held: 'text' };
  }),
  rows,
});

type From = string | readonly string[] | Readonly<Record<string, string>>;

const inputsOf = (from: From): Step['inputs'] => {
  if (typeof from === 'string') return [{ port: 'in', from }];
  if (Array.isArray(from)) return (from as string[]).map((each) => ({ port: 'in', from: each }));
  return Object.entries(from).map(([port, each]) => ({ port, from: each }));
};

/** The type is the id, too, unless another one is given. */
export const step = (type: string, config: unknown, from: From = 'in', nodeId = type): Step => ({
  nodeId,
  type: `transform.${type}`,
  config,
  inputs: inputsOf(from),
});

const field = (cell: Cell): string => (cell === null ? '' : `"${cell.replaceAll('"', '""')}"`);

export const csvOf = (rows: readonly (readonly Cell[])[]): string =>
  rows.map((row) => `${row.map(field).join(',')}\n`).join('');

export const startedAt = new Date('2024-02-29T12:34:56.789Z');

export interface Ran {
  compiled: Compiled;
  /** Column names with what they are, such as `id:integer` or `total:decimal(12,2)!` if typed. */
  columns: string[];
  rows: Cell[][];
  rejects: unknown[][][];
}

const described = ({ name, type, held }: RelationColumn): string => {
  const word = type.kind === 'decimal' ? `decimal(${type.precision},${type.scale})` : type.kind;
  return `${name}:${word}${held === 'typed' ? '!' : ''}`;
};

/** Compiles steps and runs them over the tables, as the engine does. */
export const runSteps = async (
  duck: DuckDb,
  directory: string,
  tables: Readonly<Record<string, Table>>,
  steps: readonly Step[],
): Promise<Ran> => {
  const { signal } = new AbortController();
  const inputs = new Map(Object.entries(tables).map(([id, { columns }]) => [id, columns]));
  const compiled = await compileSteps(duck, { steps, inputs, startedAt, directory }, signal);
  const views: string[] = [];
  for (const [index, [id, { columns, rows }]] of Object.entries(tables).entries()) {
    const file = path.join(directory, `input${index}.csv`);
    await writeFile(file, csvOf(rows));
    const select = readCsvSql(file, columns, { maxRowBytes: 1_000_000 });
    views.push(inputViewSql(compiled.views.get(id) ?? '', select));
  }
  const before = [...compiled.prelude, ...views];
  const statements = [
    ...before,
    textSelect(compiled.sql, compiled.columns),
    ...compiled.rejects.map(({ sql }) => sql),
  ].map((sql) => ({ sql }));
  const results = await duck.run({ directory, reads: [], statements }, signal);
  const [rows, ...rejects] = results.slice(before.length).map((result) => result.rows);
  return {
    compiled,
    columns: compiled.columns.map(described),
    rows: (rows ?? []) as Cell[][],
    rejects: rejects as unknown[][][],
  };
};
