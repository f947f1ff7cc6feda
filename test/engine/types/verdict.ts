/** What is said of a column, worked out from what was seen. */
import { code } from './markdown.js';
import type { Notes } from './notes.js';
import type { Refusal, Texts } from './observe.js';

interface Change {
  before: string;
  /** Null: it is NULL now. */
  after: string | null;
}

interface Verdict {
  from: string;
  /** Undefined where nothing arrived. */
  to: string | undefined;
  changed: readonly Change[];
  refused: readonly { before: string; refusal: Refusal }[];
}

interface Seen {
  from: string;
  to: string | undefined;
  before: Texts;
  after: Texts;
  refused: ReadonlyMap<number, Refusal>;
}

/** A value that is neither there nor refused is lost, and that no document can make good. */
export const verdictOf = ({ from, to, before, after, refused }: Seen): Verdict => {
  const changed: Change[] = [];
  const refusals: { before: string; refusal: Refusal }[] = [];
  for (const [n, value] of before) {
    const now = after.get(n);
    const refusal = refused.get(n);
    if (refusal) refusals.push({ before: value ?? 'NULL', refusal });
    else if (now === undefined) throw new Error(`row ${n} of ${from} is lost without a word`);
    else if (now !== value) {
      if (value === null) throw new Error(`NULL of ${from} has become ${String(now)}`);
      changed.push({ before: value, after: now });
    }
  }
  return { from, to, changed, refused: refusals };
};

const mostExamples = 2;
const longestValue = 32;

const shown = (value: string | null): string => {
  if (value === null) return 'NULL';
  if (value === '') return 'the empty text';
  const short = value.length > longestValue ? `${value.slice(0, longestValue)}…` : value;
  return code(short);
};

const shownChanges = (changed: readonly Change[]): string => {
  const distinct = [
    ...new Set(changed.map(({ before, after }) => `${shown(before)} → ${shown(after)}`)),
  ];
  const more = distinct.length > mostExamples ? ', …' : '';
  return distinct.slice(0, mostExamples).join(', ') + more;
};

const refusedPart = ({ refused }: Verdict, ofRun: boolean): string => {
  const some = refused.filter(({ refusal }) => refusal.ofRun === ofRun);
  if (some.length === 0) return '';
  const values = [...new Set(some.map(({ before }) => shown(before)))].join(', ');
  const codes = [...new Set(some.map(({ refusal }) => code(refusal.code)))].join(', ');
  return `${ofRun ? 'the run fails for' : 'refused:'} ${values} (${codes})`;
};

const differs = ({ to, changed }: Verdict, isSame: boolean): boolean =>
  to !== undefined && (!isSame || changed.length > 0);

export const note = (notes: Notes, verdict: Verdict, isSame: boolean): void => {
  const { from, to } = verdict;
  if (to !== undefined && differs(verdict, isSame)) notes.converted(from, to);
  for (const { refusal } of verdict.refused) notes.refused(refusal);
};

/** `isSame`: the column that was made is of the type that the value had. */
export const sentence = (verdict: Verdict, isSame: boolean, inFile: boolean): string => {
  const { to = '', changed } = verdict;
  const changes = changed.length > 0 ? `: ${shownChanges(changed)}` : '';
  const arrived = differs(verdict, isSame)
    ? `converted to ${code(to)}${changes}`
    : `exactly${inFile ? `, as ${code(to)}` : ''}`;
  const parts = [
    verdict.to === undefined ? '' : arrived,
    refusedPart(verdict, false),
    refusedPart(verdict, true),
  ];
  return parts.filter((part) => part !== '').join('; ');
};

interface ArrivedRow {
  /** As it is shown. */
  before: string;
  after: string | null | undefined;
  isSame: boolean;
  refusal: Refusal | undefined;
}

interface ArrivedColumn {
  from: string;
  to: string;
  /** The type that the document names for it already. */
  expected: string;
}

/** Of rows of a file: everything that is not what it was, one by one. */
export const arrivals = (
  rows: readonly ArrivedRow[],
  { from, to, expected }: ArrivedColumn,
  notes: Notes,
): string => {
  const refused = rows.flatMap(({ before, refusal }) => (refusal ? [{ before, refusal }] : []));
  const changed = rows.filter(({ refusal, isSame }) => !refusal && !isSame);
  const isConverted = changed.length > 0 || to !== expected;
  if (isConverted) notes.converted(from, to);
  for (const { refusal } of refused) notes.refused(refusal);
  const changes = changed.map(({ before, after }) => `${before} → ${shown(after ?? null)}`);
  const refusals = refused.map(({ before, refusal }) => `${before} (${code(refusal.code)})`);
  const converted = [
    to === expected ? 'converted' : `converted to ${code(to)}`,
    ...(changes.length > 0 ? [changes.join(', ')] : []),
  ].join(': ');
  const parts = [
    refused.length === rows.length ? '' : isConverted ? converted : 'exactly',
    refusals.length > 0 ? `refused: ${refusals.join(', ')}` : '',
  ];
  return parts.filter((part) => part !== '').join('; ');
};
