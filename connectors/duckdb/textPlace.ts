/** How many characters stand before a byte of a text's UTF-8 form. */
export const offsetOfBytes = (text: string, bytes: number): number =>
  [...Buffer.from(text).subarray(0, bytes).toString()].length;
