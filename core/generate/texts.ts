import type { Draw } from './hash.js';
import { words } from './words.js';

export const pick = (list: readonly string[], draw: number): string =>
  list[draw % list.length] as string;

/** Words in a row. None of them is the empty text, which is not NULL. */
export const makeText =
  (least: number, most: number, count: Draw, first: Draw) =>
  (row: number): string => {
    const length = least + (count(row) % (most - least + 1));
    if (length === 0) return '""';
    let draw = first(row);
    let text = pick(words, draw >>> 8);
    for (let index = 1; index < length; index++) {
      // One hash per text: the words after the first follow from it (Numerical Recipes' generator).
      draw = (Math.imul(draw, 1_664_525) + 1_013_904_223) >>> 0;
      text += ` ${pick(words, draw >>> 8)}`;
    }
    return text;
  };

const hex: readonly string[] = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).padStart(2, '0'),
);
const byteHex = (value: number): string => hex[value & 255] as string;
const halfHex = (value: number): string => byteHex(value >>> 8) + byteHex(value);

/** Version 4, variant 1: 122 random bits. */
export const makeUuid =
  (a: Draw, b: Draw, c: Draw, d: Draw) =>
  (row: number): string => {
    const first = a(row);
    const second = b(row);
    const third = c(row);
    const fourth = d(row);
    return (
      halfHex(first >>> 16) +
      halfHex(first) +
      '-' +
      halfHex(second >>> 16) +
      '-' +
      halfHex((second & 0x0fff) | 0x4000) +
      '-' +
      halfHex(((third >>> 16) & 0x3fff) | 0x8000) +
      '-' +
      halfHex(third) +
      halfHex(fourth >>> 16) +
      halfHex(fourth)
    );
  };
