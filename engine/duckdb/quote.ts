/** The ways in which names and texts enter DuckDB's SQL. A backslash means itself there. */
export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

export const quoteText = (text: string): string => `'${text.replaceAll("'", "''")}'`;
