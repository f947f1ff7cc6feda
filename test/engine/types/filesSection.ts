/** What becomes of what files hold: a column for each kind of value, and a row for each value. */
import { join } from 'node:path';
import { quoteText } from '../../../engine/duckdb/quote.js';
import { csvSamples, jsonSamples, parquetSamples } from './fileSamples.js';
import type { FileOptions, TextSample } from './fileSamples.js';
import { code, table } from './markdown.js';
import type { Notes } from './notes.js';
import { rowsRefused, textsIn, tried, typesIn } from './observe.js';
import type { Refusal, Texts } from './observe.js';
import { arrivals } from './verdict.js';
import { stepsOf } from './ways.js';
import type { Way } from './ways.js';
import type { World } from './world.js';

interface Loaded {
  table: string;
  types: ReadonlyMap<string, string>;
  values: ReadonlyMap<string, Texts>;
  refused: ReadonlyMap<number, Refusal>;
}

const load = async (
  world: World,
  file: string,
  columns: readonly string[],
  way: Way,
  options?: FileOptions,
): Promise<Loaded> => {
  const name = `${file}_${way}`;
  const carried = await tried(world, {
    from: world.fromFiles(file, options),
    steps: stepsOf(way, columns),
    to: world.toDatabase(name),
  });
  if ('code' in carried) throw new Error(`${file} cannot be loaded: ${carried.message}`);
  return {
    table: name,
    types: await typesIn(world.target, name),
    values: await textsIn(world.target, name, columns),
    refused: rowsRefused(carried),
  };
};

interface Written {
  column: string;
  /** By row: as the document shows it, and what it means as a text. */
  values: ReadonlyMap<number, { shown: string; meant: string | null }>;
}

const cellOf = (
  written: Written,
  loaded: Loaded,
  same: ReadonlySet<number>,
  { from, expected }: { from: string; expected: string },
  notes: Notes,
): string =>
  arrivals(
    [...written.values].map(([n, { shown, meant }]) => {
      const after = loaded.values.get(written.column)?.get(n);
      const refusal = loaded.refused.get(n);
      if (after === undefined && !refusal) throw new Error(`${shown} is lost without a word`);
      return { before: shown, after, isSame: after === meant || same.has(n), refusal };
    }),
    { from, expected, to: loaded.types.get(written.column) ?? '' },
    notes,
  );

/** Rows that hold what the text is as a value of the column's type, however it is written. */
const sameIn = async (
  { target }: World,
  { table: name, types }: Loaded,
  { column, values }: Written,
): Promise<Set<number>> => {
  const same = new Set<number>();
  for (const [n, { meant }] of values) {
    const sql = `select ${column}::text = $1::text::${types.get(column) ?? 'text'}::text as same
      from "${name}" where n = $2`;
    const { rows } = await target
      .query<{ same: boolean }>(sql, [meant, n])
      // A text that is none of the type is not the same.
      .catch(() => ({ rows: [] }));
    if (rows[0]?.same === true) same.add(n);
  }
  return same;
};

interface TextFormat {
  called: string;
  extension: string;
  /** A file of these rows. */
  contents: (columns: readonly string[], rows: readonly (string | undefined)[][]) => string;
  meant: (value: string | undefined, type: string | undefined) => string | null;
}

/** Files whose values are texts: all samples in one, unless they are read in ways of their own. */
const textRows = async (
  world: World,
  notes: Notes,
  { called, extension, contents, meant }: TextFormat,
  samples: readonly TextSample[],
  file: string,
): Promise<string[][]> => {
  const columns = samples.map((_, place) => `c${place}`);
  const [{ options } = {}] = samples;
  const rows = samples.flatMap(({ values }, place) =>
    values.map((value) => samples.map((_, other) => (other === place ? value : undefined))),
  );
  const path = `${file}.${extension}`;
  await world.put(path, contents(columns, rows));
  const straight = await load(world, path, columns, 'straight', options);
  const named = await load(world, path, columns, 'named', options);
  let n = 0;
  return Promise.all(
    samples.map(async ({ what, values }, place) => {
      const column = columns[place] ?? '';
      const type = straight.types.get(column) ?? '';
      const written: Written = {
        column,
        values: new Map(
          values.map((value) => {
            const shown =
              value === undefined ? 'no member' : value === '' ? 'nothing' : code(value);
            return [n++, { shown, meant: meant(value, type) }];
          }),
        ),
      };
      const isJson = type === 'jsonb';
      const same = async (loaded: Loaded): Promise<Set<number>> =>
        isJson ? sameIn(world, loaded, written) : new Set();
      const cells = [straight, named].map(async (loaded) =>
        cellOf(written, loaded, await same(loaded), { from: called, expected: type }, notes),
      );
      return [what, code(type), ...(await Promise.all(cells))];
    }),
  );
};

const textSection = async (
  world: World,
  notes: Notes,
  format: TextFormat,
  samples: readonly TextSample[],
): Promise<string> => {
  const together = samples.filter(({ options }) => options === undefined);
  const rows = await textRows(world, notes, format, together, 'all');
  for (const [place, sample] of samples.entries()) {
    if (sample.options) rows.push(...(await textRows(world, notes, format, [sample], `${place}`)));
  }
  return table(['In the file', 'Column', 'straight', 'through DuckDB, named'], rows);
};

const csv: TextFormat = {
  called: 'csv',
  extension: 'csv',
  contents: (columns, rows) =>
    [['n', ...columns], ...rows.map((row, n) => [`${n}`, ...row.map((field) => field ?? '')])]
      .map((fields) => `${fields.join(',')}\n`)
      .join(''),
  meant: (field = '') => {
    if (field === '') return null;
    return field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field;
  },
};

const json: TextFormat = {
  called: 'JSON',
  extension: 'jsonl',
  contents: (columns, rows) =>
    rows
      .map((row, n) => {
        const members = row.flatMap((value, place) =>
          value === undefined ? [] : [`,"${columns[place] ?? ''}":${value}`],
        );
        return `{"n":${n}${members.join('')}}\n`;
      })
      .join(''),
  meant: (value, type) => {
    if (value === undefined || value === 'null') return null;
    return value.startsWith('"') && type !== 'jsonb' ? (JSON.parse(value) as string) : value;
  },
};

export const csvSection = (world: World, notes: Notes): Promise<string> =>
  textSection(world, notes, csv, csvSamples);

export const jsonSection = (world: World, notes: Notes): Promise<string> =>
  textSection(world, notes, json, jsonSamples);

/** DuckDB's own words for values, where PostgreSQL has other ones for the same. */
const wordsFor = (column: string, type: string): string => {
  if (type === 'BLOB') return `'\\x' || lower(hex(${column}))`;
  if (type === 'TIMESTAMP WITH TIME ZONE') {
    // Its own text drops fractions of seconds that are far away.
    return `CASE WHEN isfinite(${column}) THEN make_timestamp(epoch_us(${column}))::VARCHAR || '+00' ELSE ${column}::VARCHAR END`;
  }
  const isNested = /\]$|^(STRUCT|MAP)\(/.test(type);
  return `${isNested ? `to_json(${column})` : column}::VARCHAR`;
};

export const parquetSection = async (world: World, notes: Notes): Promise<string> => {
  const { path: directory, remove } = await world.services.scratch('parquet');
  const run = async (sql: string): Promise<readonly (readonly unknown[])[]> => {
    const program = { directory, reads: [], statements: [{ sql }] };
    const [answer] = await world.duckdb.run(program, new AbortController().signal);
    return answer?.rows ?? [];
  };
  const columns = parquetSamples.map((_, place) => `c${place}`);
  let count = 0;
  const selects = parquetSamples.flatMap(({ values }, place) =>
    values.map((value) => `SELECT ${count++} AS n, ${value} AS c${place}`),
  );
  const made = join(directory, 'all.parquet');
  const file = `read_parquet(${quoteText(made)})`;
  await run(`COPY (${selects.join(' UNION ALL BY NAME ')}) TO ${quoteText(made)} (format parquet)`);
  const types = new Map(
    (await run(`DESCRIBE SELECT * FROM ${file}`)).map(([name, type]) => [
      String(name),
      String(type),
    ]),
  );
  const words = columns.map((column) => wordsFor(column, types.get(column) ?? ''));
  const texts = await run(`SELECT n, ${words.join(', ')} FROM ${file} ORDER BY n`);
  await world.take(made, 'all.parquet');
  await remove();

  const loads: Loaded[] = [];
  for (const way of ['straight', 'passed', 'named'] as const) {
    loads.push(await load(world, 'all.parquet', columns, way));
  }
  let n = 0;
  const rows = await Promise.all(
    parquetSamples.map(async ({ values }, place) => {
      const column = columns[place] ?? '';
      const written: Written = {
        column,
        values: new Map(
          values.map(() => {
            const text = String(texts[n]?.[place + 1]);
            return [n++, { shown: code(text), meant: text }];
          }),
        ),
      };
      const fileType = types.get(column) ?? '';
      const type = loads[0]?.types.get(column) ?? '';
      const cells = loads.map(async (loaded) =>
        cellOf(
          written,
          loaded,
          await sameIn(world, loaded, written),
          { from: fileType, expected: type },
          notes,
        ),
      );
      return [code(fileType), code(type), ...(await Promise.all(cells))];
    }),
  );
  return table(['In the file', 'Column', 'straight', 'through DuckDB', '…, named'], rows);
};
