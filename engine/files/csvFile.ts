import type { BadRow, CallContext } from '../../connectors/connector.js';
import { RunFailure } from '../../core/failures.js';
import { bulkDialect } from '../csv/dialect.js';
import { guardRows } from '../csv/guardRows.js';
import type { GuardedRows } from '../csv/guardRows.js';
import { differingNames } from './columnNames.js';
import { beginningOf, plainBytes } from './contents.js';
import { parseRows } from './csvSample.js';
import type { CsvLayout } from './csvSample.js';
import type { FilePart, FileRange } from './fileRange.js';
import { plainText } from './localFiles.js';
import type { FileDeps } from './localFiles.js';

/** No header is longer. */
export const headerBytes = 256 * 1024;

/** A csv file, or a part of one, opened. */
export interface CsvFile {
  /** Its own columns, in its order; none where it is empty. */
  names: readonly string[];
  guarded: GuardedRows;
  /** Rows that did not even get there, all of the file. */
  unreadable: readonly BadRow[];
}

/** The file's own columns. Without a header, places are names: those that were planned, then any. */
const namesIn = (beginning: Buffer, layout: CsvLayout, planned: readonly string[]): string[] => {
  const [first] = parseRows(`${beginning.toString('utf8')}\n`, layout.dialect, 1);
  const given = (first ?? []).map(({ text }, index) =>
    layout.header ? text : (planned[index] ?? `column${index}`),
  );
  return differingNames(given);
};

const refuseStrangers = (key: string, names: readonly string[], planned: readonly string[]) => {
  const known = new Set(planned.map((name) => name.toLowerCase()));
  const stranger = names.find((name) => !known.has(name.toLowerCase()));
  if (stranger === undefined) return;
  throw new RunFailure({
    code: 'schema_drift',
    class: 'schema',
    message:
      `The file ${key} has a column ${JSON.stringify(stranger)} that the files looked at first ` +
      'do not have: list all columns in options.columns.',
  });
};

/** The columns of a file that begins like this; refused where they are not those of the range. */
export const namesOfFile = (key: string, beginning: Buffer, range: FileRange): string[] => {
  const layout = layoutOf(range);
  const planned = range.columns.map(([name]) => name);
  const names = namesIn(beginning, layout, planned);
  if (!range.listed && layout.header) refuseStrangers(key, names, planned);
  return names;
};

/** The layout of a range that is csv. */
export const layoutOf = ({ csv }: FileRange): CsvLayout =>
  csv ?? { dialect: bulkDialect, header: true, nullText: '' };

export const openCsv = async (
  deps: FileDeps,
  range: FileRange,
  part: FilePart,
  directory: string,
  ctx: CallContext,
): Promise<CsvFile> => {
  const layout = layoutOf(range);
  const { header, dialect } = layout;
  const { packing } = range;
  const whole: FilePart = { key: part.key, etag: part.etag, bytes: part.bytes };
  const unpack = { packing, before: header ? 1 : 0 };
  const plain = await plainText(deps, whole, unpack, directory, ctx);
  const beginning = await beginningOf(plain.open(), headerBytes);
  const names = namesOfFile(part.key, beginning.bytes, range);
  const atStart = (part.from ?? 0) === 0;
  const all = part.to === undefined && atStart;
  const bytes = all ? plain.open() : plainBytes(deps.store, part, packing, ctx);
  const guarded = guardRows(bytes, {
    maxRowBytes: deps.maxRowBytes,
    dialect,
    fields: Math.max(1, names.length),
    skipRows: atStart && header ? 1 : 0,
  });
  return { names, guarded, unreadable: plain.rejected };
};

/** Its bytes are those of the bulk format already: same dialect, same columns in the same order. */
export const isStraight = (names: readonly string[], range: FileRange): boolean => {
  const { dialect, nullText } = layoutOf(range);
  const { delimiter, quote, escape } = dialect;
  return (
    delimiter === bulkDialect.delimiter &&
    quote === bulkDialect.quote &&
    escape === bulkDialect.escape &&
    nullText === '' &&
    names.length === range.columns.length &&
    range.columns.every(([name], index) => name.toLowerCase() === names[index]?.toLowerCase())
  );
};
