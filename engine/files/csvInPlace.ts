import type { CallContext } from '../../connectors/connector.js';
import type { Store } from '../../connectors/store.js';
import { newline } from '../csv/dialect.js';
import { countPlainRows } from '../csv/plainRows.js';
import { beginningOf, refuseChanged } from './contents.js';
import { headerBytes, layoutOf, namesOfFile } from './csvFile.js';
import { csvSelect, usualLine } from './csvRelation.js';
import { columnsOfRange } from './fileRange.js';
import type { FilePart, FileRange } from './fileRange.js';
import { compressionOf } from './format.js';
import type { FileDeps } from './localFiles.js';
import type { Unproven } from './relation.js';
import type { Survey } from './survey.js';

/** A split is tried again as a whole. */
const mostBytes = 4 * 1024 * 1024 * 1024;

/** Beginnings that are not plain save looking at the rest. */
const lookedAtBytes = 1024 * 1024;

const mark = Buffer.from([0xef, 0xbb, 0xbf]);

const isMarked = (beginning: Buffer): boolean => beginning.subarray(0, mark.length).equals(mark);

const beginningFrom = async (store: Store, key: string, most: number, ctx: CallContext) =>
  (await beginningOf(store.read(key, { from: 0, to: most }, ctx), most)).bytes;

const beginsPlain = async (
  store: Store,
  { key }: FilePart,
  { csv }: Survey,
  ctx: CallContext,
): Promise<boolean> => {
  if (!csv) return false;
  const beginning = await beginningFrom(store, key, lookedAtBytes, ctx);
  const lines = beginning.subarray(0, beginning.lastIndexOf(newline) + 1);
  if (lines.length === 0 || isMarked(lines)) return false;
  const options = { dialect: csv.dialect, longestRow: usualLine };
  return (await countPlainRows(oneOf(lines), options)) !== undefined;
};

async function* oneOf(chunk: Buffer): AsyncGenerator<Buffer> {
  yield chunk;
}

/** Whether it is worth trying to have DuckDB read a csv file where it is. */
export const mayBeRead = async (
  { store }: FileDeps,
  survey: Survey,
  file: FilePart,
  ctx: CallContext,
): Promise<boolean> =>
  store.localPath !== undefined &&
  file.bytes <= mostBytes &&
  survey.packing.encoding === 'utf-8' &&
  compressionOf(file.key, survey.packing) === 'none' &&
  (await beginsPlain(store, file, survey, ctx));

/**
 * A csv file where it is. DuckDB forgives much that is no csv, and guesses where the parts begin
 * that its threads read; so while it reads, every byte is looked at here, and nothing that it has
 * made counts unless there was only one way to read it.
 */
export const csvInPlace = async (
  { store, maxRowBytes }: FileDeps,
  range: FileRange,
  ctx: CallContext,
): Promise<Unproven | undefined> => {
  const [part] = range.files;
  if (!part?.plain || !store.localPath) return undefined;
  const { key, bytes } = part;
  await refuseChanged(store, part, ctx);
  const path = await store.localPath(key);
  const beginning = await beginningFrom(store, key, headerBytes, ctx);
  if (isMarked(beginning)) return undefined;
  const layout = layoutOf(range);
  const names = namesOfFile(key, beginning, range);
  // A line without anything is a row of one column, and none of several.
  if (names.length < 2) return undefined;
  const columns = columnsOfRange(range);
  const longestRow = Math.min(usualLine, maxRowBytes) - 1;
  return {
    sql: csvSelect({ path, names, header: layout.header, longestRow }, layout, columns),
    reads: [path],
    columns,
    bytes,
    splits: range.splits ?? 1,
    count: async (whileRead) => {
      const chunks = store.read(key, { from: 0 }, whileRead);
      const options = { dialect: layout.dialect, fields: names.length, longestRow };
      const lines = await countPlainRows(chunks, options);
      const rows = (lines ?? 0) - (layout.header ? 1 : 0);
      return rows > 0 ? rows : undefined;
    },
    refuseChanged: (afterwards) => refuseChanged(store, part, afterwards),
  };
};
