/**
 * Has DuckDB look at steps over tables without rows: what types come out, and what is wrong with
 * users' SQL. Steps are told to it as they are made, and looked at as few times as possible.
 */
import { placeOf, offsetOfByte } from '../../sql/place.js';
import { DuckFailure } from '../duckdb/failure.js';
import type { DuckResult, DuckStatement } from '../duckdb/program.js';
import { dataTypeOf, duckType } from '../duckdb/types.js';
import type { DescribedColumn } from './building.js';
import { slot, stepFailure } from './relation.js';
import type { DraftColumn, RelationColumn } from './relation.js';
import type { Probe } from './scope.js';

/** Something to be looked at under a name, after all that were added before. */
export interface Bound {
  name: string;
  nodeId: string;
  sql: string;
  columns: readonly DraftColumn[];
  probes: readonly Probe[];
}

interface Question {
  statement: DuckStatement;
  nodeId: string;
  probe?: Probe;
  answered?: (rows: DuckResult['rows']) => void;
}

/** Errors that say something of the SQL. All others are about the machine it ran on. */
const ofSql = new Set([
  ...['Binder', 'Catalog', 'Parser', 'Syntax', 'Conversion', 'Out of Range', 'Invalid Input'],
  ...['Invalid Type', 'Mismatch Type', 'Not implemented', 'Parameter Not Resolved', 'Constraint'],
]);

const missing = /^Referenced column "(.*)" (?:was )?not found/;

const placeIn = ({ sql, before, text }: Probe, byte: number | undefined): string => {
  if (byte === undefined) return '';
  const offset = offsetOfByte(sql, byte) - before.length;
  if (offset < 0 || offset > text.length) return '';
  const { line, column } = placeOf(text, offset);
  return ` at line ${line}, column ${column}`;
};

const explained = (error: unknown, questions: readonly Question[]): unknown => {
  if (!(error instanceof DuckFailure) || !ofSql.has(error.engineError.type)) return error;
  const { statement, message, position } = error.engineError;
  const question = questions[statement];
  if (!question) return error;
  const { nodeId, probe } = question;
  const [line = ''] = message.split('\n');
  if (!probe) return stepFailure(nodeId, `${line}.`);
  const name = missing.exec(line)?.[1];
  const what = name === undefined ? line : `there is no column ${name}; there are: ${probe.known}`;
  return stepFailure(nodeId, `In ${probe.place}${placeIn(probe, position)}: ${what}.`);
};

const describedOf = (rows: DuckResult['rows']): DescribedColumn[] =>
  rows.map(([name, type]) => ({ name: String(name), duckType: String(type) }));

const requireCondition = ({ nodeId, place, condition }: Probe, rows: DuckResult['rows']): void => {
  const [type] = describedOf(rows).map((column) => column.duckType);
  if (!condition || type === 'BOOLEAN') return;
  throw stepFailure(
    nodeId,
    `In ${place}: it has to be true or false, and is ${type ?? 'nothing'}.`,
  );
};

const probing = (probe: Probe): Question => ({
  statement: { sql: probe.sql },
  nodeId: probe.nodeId,
  probe,
  answered: (rows) => requireCondition(probe, rows),
});

const emptyTable = (name: string, columns: readonly RelationColumn[]): string => {
  const items = columns.map(
    ({ held, type }, index) => `${slot(index)} ${held === 'text' ? 'VARCHAR' : duckType(type)}`,
  );
  return `CREATE TABLE ${name} (${items.join(', ')})`;
};

export interface Binder {
  add: (bound: Bound) => void;
  /** The columns of what was added under this name. */
  resolved: (name: string) => Promise<readonly RelationColumn[]>;
  described: (probe: Probe) => Promise<readonly DescribedColumn[]>;
}

export const makeBinder = (
  run: (statements: readonly DuckStatement[]) => Promise<readonly DuckResult[]>,
  prelude: readonly string[],
  inputs: ReadonlyMap<string, readonly RelationColumn[]>,
): Binder => {
  const bound: Bound[] = [];
  const known = new Map(inputs);
  const start: readonly string[] = [
    ...prelude,
    ...[...inputs].map(([name, columns]) => emptyTable(name, columns)),
  ];

  const resolve = ({ name, columns }: Bound, rows: DuckResult['rows']): void => {
    const described = describedOf(rows);
    known.set(
      name,
      columns.map((column, index) => {
        const type = described[index]?.duckType;
        if (type === undefined) throw new RangeError('DuckDB did not describe every column');
        return { ...column, type: column.type ?? dataTypeOf(type) };
      }),
    );
  };

  const questionsOf = (each: Bound): Question[] => {
    const { name, nodeId, sql, probes } = each;
    const view = { statement: { sql: `CREATE VIEW ${name} AS ${sql}` }, nodeId };
    if (known.has(name)) return [view];
    return [
      ...probes.map(probing),
      view,
      {
        statement: { sql: `DESCRIBE ${name}` },
        nodeId,
        answered: (rows) => resolve(each, rows),
      },
    ];
  };

  const ask = async (more: readonly Question[]): Promise<void> => {
    const questions: Question[] = [
      ...start.map((sql) => ({ statement: { sql }, nodeId: '' })),
      ...bound.flatMap(questionsOf),
      ...more,
    ];
    try {
      const results = await run(questions.map(({ statement }) => statement));
      for (const [index, { answered }] of questions.entries()) {
        answered?.(results[index]?.rows ?? []);
      }
    } catch (error) {
      throw explained(error, questions);
    }
  };

  return {
    add: (each) => {
      bound.push(each);
    },
    resolved: async (name) => {
      if (!known.has(name)) await ask([]);
      const columns = known.get(name);
      if (!columns) throw new RangeError(`nothing is called ${name}`);
      return columns;
    },
    described: async (probe) => {
      let columns: DescribedColumn[] = [];
      await ask([{ ...probing(probe), answered: (rows) => (columns = describedOf(rows)) }]);
      return columns;
    },
  };
};
