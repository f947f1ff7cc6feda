/** One quoting function for names, one for text: the only ways text enters a statement. */
export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Standard-conforming literal; a backslash means itself only in the E form. */
export const quoteText = (text: string): string =>
  text.includes('\\')
    ? `E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
    : `'${text.replaceAll("'", "''")}'`;

export interface TableName {
  schema: string;
  table: string;
}

export const quoteTable = ({ schema, table }: TableName): string =>
  `${quoteName(schema)}.${quoteName(table)}`;
