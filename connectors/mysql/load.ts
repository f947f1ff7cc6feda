import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import type { Column } from '../connector.js';
import { makeLoadText } from './loadText.js';
import type { Conversion, RowDialect } from './loadText.js';
import { nameList, quoteName } from './quote.js';
import type { Session } from './session.js';
import { traceColumn } from './tableConfig.js';
import type { TargetColumn } from './target.js';

/** Where rows are taken in, and what of them. */
export interface Intake {
  /** Quoted, for statements. */
  into: string;
  /** All that arrive, in order. */
  columns: readonly Column[];
  /** The column that each is for; undefined where there is none: its values go nowhere. */
  targets: readonly (TargetColumn | undefined)[];
  /** What every row carries in the column that tells where it came from. */
  token?: string;
}

const conversionOf = (
  { type: { kind } }: Column,
  target: TargetColumn | undefined,
): Conversion | undefined => {
  if (!target) return 'skip';
  if (target.isText) return undefined;
  if (target.isBinary) return 'bytes';
  if (target.isBit) return 'bits';
  if (kind === 'boolean') return 'boolean';
  return kind === 'timestamptz' ? 'moment' : undefined;
};

const fileDialect: RowDialect = {
  beforeRow: '',
  afterRow: '\n',
  between: '\t',
  null: '\\N',
  value: ['', ''],
  bytes: ['', ''],
  bits: ['', ''],
  escapes: { '\\': '\\', '\t': 't', '\n': 'n', '\0': '0' },
};

const statementDialect: RowDialect = {
  beforeRow: '(',
  afterRow: '),',
  between: ', ',
  null: 'null',
  value: ["'", "'"],
  bytes: ["ifnull(unhex('", "'), 1/0)"],
  bits: ["cast('", "' as unsigned)"],
  escapes: { '\\': '\\', "'": "'", '\0': '0' },
};

/** Division by zero is an error where rows are written: the way to refuse a value in SQL. */
const setSql = (column: TargetColumn, variable: string): string => {
  const bytes = column.isBit ? `cast(${variable} as unsigned)` : `ifnull(unhex(${variable}), 1/0)`;
  return `${quoteName(column.name)} = if(${variable} is null, null, ${bytes})`;
};

const placesIn = ({ targets }: Intake): TargetColumn[] =>
  targets.filter((target) => target !== undefined);

const fileSql = (intake: Intake): string => {
  const isSet = ({ isBinary, isBit }: TargetColumn): boolean => isBinary || isBit;
  const places = placesIn(intake);
  const list = places.map((target, at) => (isSet(target) ? `@f${at}` : quoteName(target.name)));
  const sets = places.flatMap((target, at) => (isSet(target) ? [setSql(target, `@f${at}`)] : []));
  if (intake.token !== undefined) sets.push(`${quoteName(traceColumn)} = ${intake.token}`);
  return `load data local infile 'split' into table ${intake.into} character set utf8mb4
    fields terminated by '\\t' escaped by '\\\\' lines terminated by '\\n'
    (${list.join(', ')})${sets.length > 0 ? ` set ${sets.join(', ')}` : ''}`;
};

const asText = async function* (
  chunks: AsyncIterable<Buffer>,
  conversions: readonly (Conversion | undefined)[],
  dialect: RowDialect,
): AsyncGenerator<{ text: Buffer; rows: number }> {
  const ready: { text: Buffer; rows: number }[] = [];
  const text = makeLoadText(conversions, dialect, (chunk, rows) =>
    ready.push({ text: chunk, rows }),
  );
  for await (const chunk of chunks) {
    text.push(chunk);
    yield* ready.splice(0);
  }
  text.flush();
  yield* ready.splice(0);
};

/**
 * While a client sends a file, the server cannot stop it, and makes warnings of what would be
 * errors: it leaves rows out and cuts values. So a warning is an error here, by its number.
 */
const refuseWarnings = async (session: Session, warnings: number): Promise<void> => {
  if (warnings === 0) return;
  const [first] = await session.rows('show warnings limit 1');
  throw Object.assign(new Error(first?.['Message'] ?? 'a warning'), {
    errno: Number(first?.['Code'] ?? 0),
    code: 'ER',
  });
};

const loadFile = async (
  session: Session,
  intake: Intake,
  chunks: AsyncIterable<Buffer>,
): Promise<number> => {
  const conversions = intake.columns.map((column, at) => conversionOf(column, intake.targets[at]));
  async function* texts(): AsyncGenerator<Buffer> {
    for await (const { text } of asText(chunks, conversions, fileDialect)) yield text;
  }
  const result = await session.run({
    sql: fileSql(intake),
    infileStreamFactory: () => Readable.from(texts(), { objectMode: false, highWaterMark: 1 }),
  });
  await refuseWarnings(session, result.warningStatus);
  return result.affectedRows;
};

const loadStatements = async (
  session: Session,
  intake: Intake,
  chunks: AsyncIterable<Buffer>,
): Promise<number> => {
  const conversions = intake.columns.map((column, at) => conversionOf(column, intake.targets[at]));
  const { token } = intake;
  const names = placesIn(intake).map(({ name }) => name);
  const places = nameList(token === undefined ? names : [...names, traceColumn]);
  const dialect =
    token === undefined ? statementDialect : { ...statementDialect, afterRow: `, ${token}),` };
  let rows = 0;
  for await (const { text } of asText(chunks, conversions, dialect)) {
    if (!isUtf8(text)) throw Object.assign(new Error('no UTF-8'), { errno: 1300, code: 'ER' });
    const values = text.toString('utf8', 0, text.length - 1);
    const result = await session.run(`insert into ${intake.into} (${places}) values ${values}`);
    rows += result.affectedRows;
  }
  return rows;
};

const takesFiles = async (session: Session): Promise<boolean> => {
  const [row] = await session.rows('select @@local_infile as allowed');
  return row?.['allowed'] === '1';
};

/** Takes csv in, as fast as the server allows; what comes back is how many rows it made of it. */
export const loadRows = async (
  session: Session,
  intake: Intake,
  chunks: AsyncIterable<Buffer>,
): Promise<number> =>
  (await takesFiles(session))
    ? loadFile(session, intake, chunks)
    : loadStatements(session, intake, chunks);
