/** Places in a text a user wrote, counted as editors count them. */

export interface Place {
  /** From 1. */
  line: number;
  /** From 1, in characters. */
  column: number;
}

/** Where `offset` (in UTF-16 units, as JavaScript counts) is. */
export const placeOf = (text: string, offset: number): Place => {
  const lines = text.slice(0, offset).split(/\r\n|\r|\n/);
  return { line: lines.length, column: [...(lines.at(-1) ?? '')].length + 1 };
};

/** DuckDB's messages count characters. */
export const offsetOfCharacter = (text: string, characters: number): number =>
  [...text].slice(0, characters).join('').length;

const bytesOf = (character: string): number => {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code < 0x10000 ? 3 : 4;
};

/** DuckDB's syntax trees count bytes of UTF-8. */
export const offsetOfByte = (text: string, bytes: number): number => {
  let left = bytes;
  let offset = 0;
  for (const character of text) {
    left -= bytesOf(character);
    if (left < 0) break;
    offset += character.length;
  }
  return offset;
};
