/** The ways in which names and texts enter DuckDB's SQL. A backslash means itself there. */
export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

export const quoteText = (text: string): string => `'${text.replaceAll("'", "''")}'`;

export const nameList = (names: readonly string[]): string => names.map(quoteName).join(', ');

/** A name with what it is in: catalog, schema, table, column. */
export const nameIn = (...parts: readonly string[]): string => parts.map(quoteName).join('.');

export interface TableName {
  schema: string;
  table: string;
}

/** With its catalog: a schema may have the same name as the file. */
export const quoteTable = (catalog: string, { schema, table }: TableName): string =>
  nameIn(catalog, schema, table);

/** Names are compared as DuckDB compares them, by ASCII alone. */
export const folded = (name: string): string =>
  name.replace(/[A-Z]+/g, (capitals) => capitals.toLowerCase());
