/** What a user sees of a system before a pipeline reads it: the same words whatever the system is. */

/** A value of a row: a number only where it is exact, else the text that the system writes. */
export type Cell = null | boolean | string | number;

/** Longer texts are cut. */
const longestCell = 4096;

export interface Rows {
  columns: readonly { name: string; type: string }[];
  rows: readonly (readonly Cell[])[];
  /** There were more rows, or a value was cut. */
  truncated: boolean;
}

export interface RowCaps {
  rows: number;
  /** Of all cells together. */
  bytes: number;
  seconds: number;
}

export interface TableInfo {
  name: string;
  type: 'TABLE' | 'VIEW';
  comment: string | null;
}

export interface TableColumn {
  name: string;
  /** As the system calls it. */
  type: string;
  nullable: boolean;
  /** Place in the primary key, from 1; null outside of it. */
  key: number | null;
  comment: string | null;
}

export interface PageWanted {
  /** Only names that contain it, whatever their case. */
  search?: string;
  limit: number;
  /** Only names that come after this one. */
  after?: string;
}

export interface NamePage<Item> {
  /** In the order of their names. */
  items: readonly Item[];
  /** What to go on after; null at the end. */
  next: string | null;
}

export interface Checked {
  /** As the system says it; null where it says nothing. */
  serverVersion: string | null;
  /** What will not work as it is, and how to cure it. */
  notes: readonly string[];
}

/** Digits that a number holds to the last one, else the text itself. */
export const exactNumber = (text: string): number | string => {
  const number = Number(text);
  return /^-?\d{1,16}$/.test(text) && Number.isSafeInteger(number) ? number : text;
};

/** A text as a cell; `cut` says that there was more of it. */
export const cutText = (text: string): { cell: string; cut: boolean } => {
  if (text.length <= longestCell) return { cell: text, cut: false };
  // Not between the halves of a character.
  const end = /[\ud800-\udbff]/.test(text.charAt(longestCell - 1)) ? longestCell - 1 : longestCell;
  return { cell: text.slice(0, end), cut: true };
};
