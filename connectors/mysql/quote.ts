/** One quoting function for names, one for text: the only ways text enters a statement. */
export const quoteName = (name: string): string => `\`${name.replaceAll('`', '``')}\``;

/** Sessions are set up so that a backslash escapes, whatever the server's own mode is. */
export const quoteText = (text: string): string =>
  `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''").replaceAll('\0', '\\0')}'`;

export interface TableName {
  /** A database, as MySQL calls it. */
  schema: string;
  table: string;
}

export const quoteTable = ({ schema, table }: TableName): string =>
  `${quoteName(schema)}.${quoteName(table)}`;

/** Names for a statement, in order. */
export const nameList = (names: readonly string[], prefix = ''): string =>
  names.map((name) => `${prefix}${quoteName(name)}`).join(', ');
