import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { CallContext } from '../../connectors/connector.js';
import type { StoreFile } from '../../connectors/store.js';
import { differingNames } from './columnNames.js';
import { beginningOf } from './contents.js';
import { packingOf } from './format.js';
import { jsonLines } from './jsonLines.js';
import { plainText, writeFileFrom } from './localFiles.js';
import type { FileDeps } from './localFiles.js';
import { mergeKinds } from './mergedKinds.js';
import type { NamedKind } from './mergedKinds.js';
import { quoteText } from '../duckdb/quote.js';
import type { Sampled, Sampling } from './survey.js';
import { patterns, valueKinds } from './valueKind.js';
import type { ValueKind } from './valueKind.js';

const sampleBytes = 8 * 1024 * 1024;
const sampleObjects = 20_480;

const like = (text: string, pattern: string): string =>
  `regexp_full_match(${text}, ${quoteText(pattern)})`;

/** What `kindOfText` does, as DuckDB does it. */
const kindOfString = (text: string): string => {
  const { date, timestamp, zone, time, uuid } = patterns;
  return (
    `CASE WHEN length(${text}) > 40 THEN 'text' ` +
    `WHEN ${like(text, date)} AND TRY_CAST(${text} AS DATE) IS NOT NULL THEN 'date' ` +
    `WHEN ${like(text, timestamp)} AND TRY_CAST(${text} AS TIMESTAMP) IS NOT NULL ` +
    `THEN 'timestamp' WHEN ${like(text, timestamp + zone)} ` +
    `AND TRY_CAST(${text} AS TIMESTAMP) IS NOT NULL THEN 'timestamptz' ` +
    `WHEN ${like(text, time)} AND TRY_CAST(${text} AS TIME) IS NOT NULL THEN 'time' ` +
    `WHEN ${like(text, uuid)} THEN 'uuid' ELSE 'text' END`
  );
};

const kindOfValue =
  `CASE type WHEN 'NULL' THEN 'empty' WHEN 'BOOLEAN' THEN 'boolean' WHEN 'BIGINT' THEN 'bigint' ` +
  `WHEN 'UBIGINT' THEN CASE WHEN TRY_CAST(text AS BIGINT) IS NULL THEN 'wide' ELSE 'bigint' END ` +
  `WHEN 'DOUBLE' THEN CASE WHEN ${like('text', patterns.integer)} THEN 'wide' ELSE 'double' END ` +
  `WHEN 'VARCHAR' THEN ${kindOfString('text')} ELSE 'json' END`;

/** Members of the objects in the order of their first appearance, with every kind of value seen. */
const membersOf = (path: string): string =>
  `WITH objects AS (SELECT json, row_number() OVER () AS place FROM ` +
  `read_ndjson_objects(${quoteText(path)}, ignore_errors = true, compression = 'uncompressed', ` +
  `maximum_object_size = ${2 * sampleBytes}) LIMIT ${sampleObjects}), ` +
  `members AS (SELECT json, place, unnest(json_keys(json)) AS name, ` +
  `generate_subscripts(json_keys(json), 1) AS rank FROM objects), ` +
  `pointed AS (SELECT name, place, rank, json, ` +
  `'/' || replace(replace(name, '~', '~0'), '/', '~1') AS pointer FROM members), ` +
  `valued AS (SELECT name, place, rank, json_type(json, pointer) AS type, ` +
  `json_extract_string(json, pointer) AS text FROM pointed) ` +
  `SELECT name, ${kindOfValue} AS kind, min(place * 100000 + rank) AS first FROM valued ` +
  `GROUP BY name, kind ORDER BY first`;

const kindNamed = (word: unknown): ValueKind => valueKinds.find((kind) => kind === word) ?? 'text';

/** Puts whole lines from the beginning of a stream into a file; false where there are none. */
export const keepBeginning = async (
  chunks: AsyncIterable<Buffer>,
  path: string,
  { signal }: CallContext,
): Promise<boolean> => {
  const { bytes, whole } = await beginningOf(chunks, sampleBytes);
  const lines = whole ? bytes : bytes.subarray(0, bytes.lastIndexOf(10) + 1);
  await writeFileFrom(oneChunk(lines), path, signal);
  return lines.length > 0;
};

/** The members that objects in files of lines have, as columns. */
export const sampleLines = async (
  { duckdb }: Pick<FileDeps, 'duckdb'>,
  paths: readonly string[],
  directory: string,
  { signal }: CallContext,
): Promise<Required<Pick<Sampled, 'columns' | 'members'>>> => {
  const statements = paths.map((path) => ({ sql: membersOf(path) }));
  if (statements.length === 0) return { columns: [], members: [] };
  const answers = await duckdb.run({ directory, reads: [], statements }, signal);
  const found = answers.map(({ rows }): NamedKind[] =>
    rows.map(([name, kind]) => ({ name: String(name), kind: kindNamed(kind) })),
  );
  // Members that differ in capitals only are two members.
  const merged = mergeKinds(found, (name) => name);
  const members = merged.map(({ name }) => name);
  const names = differingNames(members);
  const columns = merged.map((column, index) => ({ ...column, name: names[index] ?? '' }));
  return { columns, members };
};

export const sampleJsonFiles = async (
  deps: FileDeps,
  files: readonly StoreFile[],
  { config, json }: Sampling,
  directory: string,
  ctx: CallContext,
): Promise<Sampled> => {
  const packing = packingOf(config);
  const paths: string[] = [];
  for (const file of files) {
    ctx.signal.throwIfAborted();
    const unpack = { packing, before: 0, lines: sampleObjects };
    const chunks = json
      ? await jsonLines(deps, file, unpack, directory, ctx)
      : (await plainText(deps, file, unpack, directory, ctx)).open();
    const path = join(directory, `${randomUUID()}.sample`);
    if (await keepBeginning(chunks, path, ctx)) paths.push(path);
  }
  return sampleLines(deps, paths, directory, ctx);
};

async function* oneChunk(chunk: Buffer): AsyncGenerator<Buffer> {
  yield chunk;
}
