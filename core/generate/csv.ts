/** Signs that would end or confuse an unquoted field. */
const special = /["\n\r,]/;

/**
 * A text as a field of the bulk csv: quoted only where needed, the empty text always (unquoted it
 * would be NULL). `\.` alone would end COPY's input.
 */
export const csvText = (text: string): string =>
  text === '' || text === '\\.' || special.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
