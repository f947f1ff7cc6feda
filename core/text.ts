/** What a database stores as it is: no NUL, and no half of a surrogate pair, which UTF-8 lacks. */
export const isStorableText = (text: string): boolean =>
  !text.includes('\u0000') && !/\p{Surrogate}/u.test(text);

/** Bytes of the text in UTF-8. */
export const utf8Length = (text: string): number => {
  let bytes = 0;
  for (const sign of text) {
    const code = sign.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
};
