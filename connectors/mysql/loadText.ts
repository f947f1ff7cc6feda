/** What a field is written as, where its text is not what the column takes; skipped ones are not. */
export type Conversion = 'boolean' | 'moment' | 'bytes' | 'bits' | 'skip';

type Around = readonly [open: string, close: string];

/** How rows are written for a statement. */
export interface RowDialect {
  beforeRow: string;
  afterRow: string;
  between: string;
  null: string;
  /** Around a value; around the hexadecimal digits of bytes; around a number that is bits. */
  value: Around;
  bytes: Around;
  bits: Around;
  /** What is written with a backslash, and the letter that follows it. */
  escapes: Readonly<Record<string, string>>;
}

const comma = 44;
const newline = 10;
const quote = 34;
const backslash = 92;

/** A chunk is handed on when it has so many bytes, at the end of a row. */
const chunkBytes = 256 * 1024;

const moment = /^(\d{4})-(\d\d)-(\d\d)[ T](\d\d:\d\d(?::\d\d)?)(\.\d+)? ?(Z|[+-]\d\d(?::?\d\d)?)$/;

const minutesOf = (zone: string): number => {
  if (zone === 'Z') return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3).replace(':', ''));
  return zone.startsWith('-') ? -minutes : minutes;
};

/** A moment with a zone as the column has it: in UTC, without one. */
export const utcText = (text: string): string => {
  const found = moment.exec(text);
  if (!found) return text;
  const [, year = '', month = '', day = '', time = '', fraction = '', zone = ''] = found;
  const minutes = minutesOf(zone);
  if (minutes === 0) return `${year}-${month}-${day} ${time}${fraction}`;
  const at = new Date(`${year}-${month}-${day}T${time.length === 5 ? `${time}:00` : time}Z`);
  const utc = at.getTime() - minutes * 60_000;
  if (Number.isNaN(utc)) return text;
  const shifted = new Date(utc).toISOString();
  return shifted.length === 24 ? `${shifted.slice(0, 19).replace('T', ' ')}${fraction}` : text;
};

const flags: Readonly<Record<string, string>> = { t: '1', true: '1', f: '0', false: '0' };

/** No such digits: what the server refuses wherever bytes are expected. */
const noHex = 'zz';

const hexText = (text: string): string =>
  text.startsWith('\\\\x') && text.length % 2 === 1 ? text.slice(3) : noHex;

/** `text` is escaped already; what cannot be converted stays as it is, for the server to refuse. */
const converted = (conversion: Conversion, text: string): string => {
  if (conversion === 'moment') return utcText(text);
  return conversion === 'bytes' ? hexText(text) : (flags[text.toLowerCase()] ?? text);
};

const escapeTable = ({ escapes }: RowDialect): Uint8Array => {
  const table = new Uint8Array(256);
  for (const [character, letter] of Object.entries(escapes)) {
    table[character.charCodeAt(0)] = letter.charCodeAt(0);
  }
  return table;
};

/**
 * Rewrites csv, whose rows come in any pieces, into rows that a statement takes. A chunk always
 * ends with a row. What NULL is and what an empty text, is said by quotes here and by a word there.
 */
export const makeLoadText = (
  conversions: readonly (Conversion | undefined)[],
  dialect: RowDialect,
  emit: (chunk: Buffer, rows: number) => void,
) => {
  const escape = escapeTable(dialect);
  let out = Buffer.allocUnsafe(2 * chunkBytes);
  let at = 0;
  let rows = 0;
  let column = 0;
  let start = 0;
  let fieldStart = 0;
  let isFirst = true;
  let state: 'before' | 'plain' | 'quoted' | 'afterQuote' = 'before';

  const room = (bytes: number): void => {
    if (at + bytes <= out.length) return;
    const larger = Buffer.allocUnsafe(Math.max(2 * out.length, at + bytes));
    out.copy(larger, 0, 0, at);
    out = larger;
  };

  const write = (text: string): void => {
    room(text.length);
    at += out.write(text, at, 'latin1');
  };

  const begin = (): void => {
    fieldStart = at;
    write(isFirst ? dialect.beforeRow : dialect.between);
  };

  const end = (): void => {
    if (conversions[column] === 'skip') at = fieldStart;
    else isFirst = false;
  };

  const around = (): Around => {
    const conversion = conversions[column];
    return dialect[conversion === 'bytes' || conversion === 'bits' ? conversion : 'value'];
  };

  const open = (): void => {
    begin();
    write(around()[0]);
    start = at;
  };

  const close = (): void => {
    const conversion = conversions[column];
    if (conversion && conversion !== 'skip') {
      const text = converted(conversion, out.toString('latin1', start, at));
      at = start;
      write(text);
    }
    write(around()[1]);
    end();
  };

  const next = (byte: number): void => {
    state = 'before';
    if (byte === comma) {
      column += 1;
      return;
    }
    write(dialect.afterRow);
    column = 0;
    isFirst = true;
    rows += 1;
    if (at >= chunkBytes) flush();
  };

  const flush = (): void => {
    if (rows === 0) return;
    emit(out.subarray(0, at), rows);
    out = Buffer.allocUnsafe(2 * chunkBytes);
    at = 0;
    rows = 0;
  };

  /** Copies up to what may end the value, and says where that is. */
  const copy = (chunk: Buffer, from: number, isEnd: (byte: number) => boolean): number => {
    room(2 * (chunk.length - from));
    let i = from;
    for (; i < chunk.length; i += 1) {
      const byte = chunk[i] as number;
      if (isEnd(byte)) break;
      const letter = escape[byte] as number;
      if (letter === 0) out[at++] = byte;
      else {
        out[at++] = backslash;
        out[at++] = letter;
      }
    }
    return i;
  };

  const endsPlain = (byte: number): boolean => byte === comma || byte === newline;
  const endsQuoted = (byte: number): boolean => byte === quote;

  const push = (chunk: Buffer): void => {
    let i = 0;
    while (i < chunk.length) {
      const byte = chunk[i] as number;
      if (state === 'before') {
        if (endsPlain(byte)) {
          begin();
          write(dialect.null);
          end();
          next(byte);
          i += 1;
        } else {
          open();
          state = byte === quote ? 'quoted' : 'plain';
          if (byte === quote) i += 1;
        }
      } else if (state === 'plain') {
        i = copy(chunk, i, endsPlain);
        if (i < chunk.length) {
          close();
          next(chunk[i] as number);
          i += 1;
        }
      } else if (state === 'quoted') {
        i = copy(chunk, i, endsQuoted);
        if (i < chunk.length) {
          state = 'afterQuote';
          i += 1;
        }
      } else if (byte === quote) {
        room(2);
        const letter = escape[quote] as number;
        if (letter !== 0) out[at++] = backslash;
        out[at++] = quote;
        state = 'quoted';
        i += 1;
      } else {
        close();
        next(byte);
        i += 1;
      }
    }
  };

  return { push, flush };
};
