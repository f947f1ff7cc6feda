import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { DuckDb, DuckResult } from '../../../engine/duckdb/program.js';
import { readCsvSql, textSelect } from '../../../engine/transform/csv.js';
import {
  copyDatasetSql,
  datasetColumns,
  readDatasetSql,
  typedSelect,
} from '../../../engine/transform/parquet.js';
import { slot } from '../../../engine/transform/relation.js';
import type { RelationColumn } from '../../../engine/transform/relation.js';
import { toTyped } from '../../../engine/transform/toTyped.js';
import { makeScratch, openDuckDb } from '../duckdb/opened.js';
import type { Scratch } from '../duckdb/opened.js';
import { csvOf, table } from './running.js';

let duck: DuckDb;
let scratch: Scratch;

beforeAll(async () => {
  duck = openDuckDb();
  scratch = await makeScratch();
});

afterAll(async () => {
  await duck.close();
  await scratch.remove();
});

const run = async (...statements: string[]): Promise<readonly DuckResult[]> =>
  duck.run(
    {
      directory: scratch.directory,
      reads: [],
      statements: statements.map((sql) => ({ sql })),
    },
    new AbortController().signal,
  );

const { columns, rows } = table(
  {
    b: 'boolean',
    i: 'integer',
    n: 'numeric',
    d: 'decimal(10,2)',
    t: 'text',
    x: 'bytes',
    day: 'date',
    clock: 'time',
    at: 'timestamptz',
    span: 'interval',
    j: 'json',
    f: 'double',
  },
  [
    [
      ...['true', '7', '1.10', '1.50', '', '\\x00ff', '0044-03-15 BC', '24:00:00'],
      ...['infinity', '1 year 00:00:00.000001', '{"a": 1.0}', '-0.0'],
    ],
    [
      ...[null, '-7', `${'9'.repeat(40)}.5`, '-0.01', 'é,"', '\\x', 'infinity', '00:00:00.000001'],
      ...['2024-01-02 03:04:05.000006+00', '00:00:00', '[]', 'nan'],
    ],
    columnsOfNulls(12),
  ],
);

function columnsOfNulls(count: number): null[] {
  return Array.from({ length: count }, () => null);
}

const source = async (): Promise<string> => {
  const file = path.join(scratch.directory, 'source.csv');
  await writeFile(file, csvOf(rows));
  return readCsvSql(file, columns, { maxRowBytes: 10_000 });
};

interface Rows {
  sql: string;
  columns: readonly RelationColumn[];
}

const typed = (sql: string): Rows => {
  const exact = columns.map((column) => column.type.kind !== 'numeric');
  const items = columns.map(
    ({ type }, index) =>
      `${exact[index] ? toTyped(slot(index), type) : slot(index)} AS ${slot(index)}`,
  );
  return {
    sql: `SELECT ${items.join(', ')} FROM (${sql})`,
    columns: columns.map((column, index) => ({
      ...column,
      held: exact[index] ? 'typed' : 'text',
    })),
  };
};

const held: readonly (readonly [string, (sql: string) => Rows])[] = [
  ['text', (sql) => ({ sql, columns })],
  ['values', typed],
];

const megabyte = 1024 * 1024;

/** Where DuckDB puts the files of a dataset, in the order in which it wrote them. */
const filesIn = async (folder: string): Promise<string[]> => {
  const names = await readdir(folder);
  const part = (name: string): number => Number(/\d+/.exec(name)?.[0]);
  return names.sort((a, b) => part(a) - part(b)).map((name) => path.join(folder, name));
};

it.each(held)('stages rows held as %s and gives them back', async (name, make) => {
  const made = make(await source());
  const folders = [1, 2].map((part) => path.join(scratch.directory, `${name}${part}`));
  const written = await run(
    ...folders.map((folder) => copyDatasetSql(made.sql, made.columns, folder, megabyte)),
  );
  expect(written.map(({ changed }) => changed)).toEqual([3, 3]);
  const files = (await Promise.all(folders.map(filesIn))).flat();
  const staged = datasetColumns(made.columns);
  const [back] = await run(textSelect(readDatasetSql(files, staged), staged));
  expect(back?.rows).toEqual([...rows, ...rows]);
});

it('stages no rows at all', async () => {
  const made = typed(await source());
  const folder = path.join(scratch.directory, 'none');
  const [written] = await run(
    copyDatasetSql(`SELECT * FROM (${made.sql}) WHERE false`, made.columns, folder, megabyte),
  );
  expect(written?.changed).toBe(0);
  const staged = datasetColumns(made.columns);
  const [back] = await run(textSelect(readDatasetSql(await filesIn(folder), staged), staged));
  expect(back?.rows).toEqual([]);
  const [nothing] = await run(textSelect(readDatasetSql([], staged), staged));
  expect(nothing?.rows).toEqual([]);
});

it('keeps the order of rows across files', async () => {
  const folder = path.join(scratch.directory, 'many');
  const bigint: RelationColumn[] = [
    { name: 'n', type: { kind: 'bigint' }, nullable: false, held: 'typed' },
  ];
  const sql = `SELECT range AS ${slot(0)} FROM range(6000000)`;
  await run(copyDatasetSql(sql, bigint, folder, megabyte));
  const files = await filesIn(folder);
  expect(files.length).toBeGreaterThan(10);
  const [outOfOrder] = await run(
    `SELECT count(*) FROM (SELECT row_number() OVER () - 1 AS place, * FROM
       (${readDatasetSql(files, bigint)})) WHERE place <> ${slot(0)}`,
  );
  expect(outOfOrder?.rows).toEqual([[0]]);
});

it('writes Parquet for others in its own types', async () => {
  const file = path.join(scratch.directory, 'user.parquet');
  const [written, described, back] = await run(
    `COPY (${typedSelect(await source(), columns)}) TO '${file}' (format parquet)`,
    `DESCRIBE SELECT * FROM read_parquet('${file}')`,
    `SELECT n, d, span, j FROM read_parquet('${file}') LIMIT 2`,
  );
  expect(written?.changed).toBe(3);
  expect(described?.rows.map(([name, type]) => `${String(name)} ${String(type)}`)).toEqual([
    ...['b BOOLEAN', 'i INTEGER', 'n VARCHAR', 'd DECIMAL(10,2)', 't VARCHAR', 'x BLOB'],
    ...['day DATE', 'clock TIME', 'at TIMESTAMP WITH TIME ZONE', 'span VARCHAR', 'j VARCHAR'],
    'f DOUBLE',
  ]);
  expect(back?.rows).toEqual([
    ['1.10', '1.50', '1 year 00:00:00.000001', '{"a": 1.0}'],
    [`${'9'.repeat(40)}.5`, '-0.01', '00:00:00', '[]'],
  ]);
});
