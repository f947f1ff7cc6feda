/** How a csv's bytes are rows and fields. Rows end with LF or CRLF. */
export interface CsvDialect {
  /** One ASCII character. */
  delimiter: string;
  /** One ASCII character, or none: then nothing is quoted. */
  quote: string;
  /** What makes a quote within quotes a character: the quote itself, or another one. */
  escape: string;
}

/** That of the bulk format. */
export const bulkDialect: CsvDialect = { delimiter: ',', quote: '"', escape: '"' };

/** A byte that no file has, for a dialect without one. */
const never = -1;

export const byteOf = (character: string): number =>
  character === '' ? never : character.charCodeAt(0);

export const newline = 10;
export const carriageReturn = 13;
