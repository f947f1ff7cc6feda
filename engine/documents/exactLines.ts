import { isObjectAt, membersOf, skipBlank } from '../../core/jsonText.js';
import type { Column } from '../../connectors/connector.js';

/** What becomes of a member's value: as it is, or the JSON that it is as a text. */
export type MemberForms = ReadonlyMap<string, 'value' | 'json'>;

export const formsOf = (columns: readonly Column[]): MemberForms =>
  new Map(
    columns.map(({ name, type, member = name }) => [
      member,
      type.kind === 'json' ? 'json' : 'value',
    ]),
  );

/** DuckDB reads such a number as a double, and the digits that it has beyond are gone. */
const mayLoseDigits = /\d[.eE]/;

const quote = 0x22;

const isValid = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

const written = (value: Buffer, form: 'value' | 'json'): Buffer => {
  const isText = value[0] === quote && form === 'value';
  return isText || value.equals(nullWord) ? value : Buffer.from(JSON.stringify(value.toString()));
};

const nullWord = Buffer.from('null');

/**
 * An object in which the values of these members are texts, written as they were: whoever decodes
 * it has every digit. What is no object stays as it is.
 */
export const exactLine = (line: Buffer, forms: MemberForms): Buffer => {
  const from = skipBlank(line, 0);
  if (!isObjectAt(line, from) || !isValid(line.toString())) return line;
  const parts: Buffer[] = [];
  let done = 0;
  for (const { name, ...span } of membersOf(line, from)) {
    const form = forms.get(name);
    if (form === undefined) continue;
    const value = written(line.subarray(span.from, span.to), form);
    parts.push(line.subarray(done, span.from), value);
    done = span.to;
  }
  parts.push(line.subarray(done));
  return Buffer.concat(parts);
};

export interface ExactLines {
  chunks: AsyncIterable<Buffer>;
  /** No line that has passed is longer. */
  longest(): number;
}

/** Whole lines in which no number loses digits when DuckDB reads them. */
export const exactLines = (
  chunks: AsyncIterable<Buffer>,
  columns: readonly Column[],
): ExactLines => {
  const forms = formsOf(columns);
  const always = [...forms.values()].includes('json');
  let longest = 0;
  const pass = (chunk: Buffer): Buffer => {
    longest = Math.max(longest, chunk.length);
    return chunk;
  };
  function* each(chunk: Buffer): Generator<Buffer> {
    let start = 0;
    while (start < chunk.length) {
      const end = chunk.indexOf(0x0a, start) + 1;
      yield exactLine(chunk.subarray(start, end), forms);
      start = end;
    }
  }
  async function* exact(): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      const plain = !always && !mayLoseDigits.test(chunk.toString('latin1'));
      yield pass(plain ? chunk : Buffer.concat([...each(chunk)]));
    }
  }
  return { chunks: exact(), longest: () => longest };
};
