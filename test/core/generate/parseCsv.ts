const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))([,\n])/y;

/** Reads the bulk dialect strictly: null for an empty unquoted field, an error for anything loose. */
export const parseCsv = (text: string): (string | null)[][] => {
  const rows: (string | null)[][] = [];
  let row: (string | null)[] = [];
  field.lastIndex = 0;
  for (let at = 0; at < text.length; at = field.lastIndex) {
    const match = field.exec(text);
    if (!match) throw new Error(`not a field: ${text.slice(at, at + 40)}`);
    const [, quoted, plain, end] = match;
    row.push(quoted === undefined ? plain || null : quoted.replaceAll('""', '"'));
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  if (row.length > 0) throw new Error('the last row does not end');
  return rows;
};
