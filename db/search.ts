/** A case-insensitive substring, with LIKE's own signs taken literally. */
export const containsPattern = (text: string): string =>
  `%${text.replace(/[\\%_]/g, (sign) => `\\${sign}`)}%`;
