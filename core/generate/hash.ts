/**
 * Random by counting: the number of a cell is a hash of (seed, column, row), so any worker makes
 * the same value for the same cell, in any order and any range. Mixing in the manner of MurmurHash3.
 */
const two32 = 4294967296;

const rotate = (value: number, bits: number): number => (value << bits) | (value >>> (32 - bits));

const stir = (hash: number, part: number): number => {
  const mixed = Math.imul(rotate(Math.imul(part, 0xcc9e2d51), 15), 0x1b873593);
  return (Math.imul(rotate(hash ^ mixed, 13), 5) + 0xe6546b64) | 0;
};

const finish = (hash: number): number => {
  let mixed = hash;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
};

/** 32 random bits of a row, for one column and one purpose within it. */
export type Draw = (row: number) => number;

export const makeDraw = (seed: number, column: number, purpose: number): Draw => {
  const salt = stir(stir(stir(0x5bd1e995, seed | 0), column), purpose);
  return (row) => finish(stir(stir(salt, row | 0), Math.floor(row / two32)));
};

/** Evenly in [0, 1), with all 53 bits a double has. */
export const makeUniform = (seed: number, column: number, purpose: number): Draw => {
  const high = makeDraw(seed, column, purpose * 2);
  const low = makeDraw(seed, column, purpose * 2 + 1);
  return (row) => ((high(row) >>> 5) * 67108864 + (low(row) >>> 6)) / 9007199254740992;
};
