/** Messages as lines of JSON, with where and when they stand in front of what they hold. */
import { isUtf8 } from 'node:buffer';
import { isObjectAt, membersOf, skipBlank } from '../../core/jsonText.js';
import type { Column } from '../connector.js';
import type { Message } from './batches.js';

export const fixedColumns: readonly Column[] = [
  { name: '_partition', type: { kind: 'integer' }, nullable: false },
  { name: '_offset', type: { kind: 'bigint' }, nullable: false },
  { name: '_timestamp', type: { kind: 'timestamptz' }, nullable: true },
  { name: '_key', type: { kind: 'text' }, nullable: true },
];

/** What a line is made of: text, then the rest of the message as it is. */
export interface Line {
  head: string;
  rest: Buffer | null;
}

const firstLateMs = Date.parse('+010000-01-01T00:00:00Z');

const makeTimestampText = (): ((timestamp: number) => string) => {
  let last = NaN;
  let text = '';
  return (timestamp) => {
    if (timestamp === last) return text;
    last = timestamp;
    if (timestamp < 0) text = 'null';
    else if (timestamp < firstLateMs) text = `"${new Date(timestamp).toISOString()}"`;
    // No moment that anybody could mean; the row says so, not the run.
    else text = `"${timestamp}"`;
    return text;
  };
};

/** Text as it is; other bytes, and what databases do not take for text, as PostgreSQL writes bytes. */
export const keyText = (key: Buffer): string =>
  isUtf8(key) && !key.includes(0) ? key.toString() : `\\x${key.toString('hex')}`;

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

const lineEnds = (bytes: Buffer): boolean => bytes.includes(0x0a) || bytes.includes(0x0d);

/** Between its parts JSON may have line ends; within a text it has none. Undefined: it is no JSON. */
const onOneLine = (value: Buffer): Buffer | undefined => {
  if (!isJson(value.toString())) return undefined;
  const line = Buffer.from(value);
  for (const [at, byte] of line.entries()) if (byte === 0x0a || byte === 0x0d) line[at] = 0x20;
  return line;
};

/** `_offset`, `__offset`…: a column of ours, or what a member of such a name was called before. */
const reserved = /^_+(?:partition|offset|timestamp|key)$/;
const suspects = ['_partition"', '_offset"', '_timestamp"', '_key"', '\\u'];

/**
 * Members that are called like our columns get one more underscore, so that none is lost: no two
 * names become one that way.
 */
const withoutCollisions = (value: Buffer, at: number): Buffer => {
  if (!suspects.some((text) => value.includes(text, at, 'latin1'))) return value;
  const parts: Buffer[] = [];
  let done = 0;
  try {
    let key = skipBlank(value, at + 1);
    for (const { name, from, to } of membersOf(value, at)) {
      if (reserved.test(name)) {
        parts.push(value.subarray(done, key), Buffer.from(`"_${name}":`));
        done = from;
      }
      // Behind the comma.
      key = skipBlank(value, skipBlank(value, to) + 1);
    }
  } catch {
    // It is no JSON, which whoever reads the line finds out.
    return value;
  }
  return parts.length === 0 ? value : Buffer.concat([...parts, value.subarray(done)]);
};

/** What is shown of a value that is no object. */
const mostShown = 16 * 1024;

export const makeLineOf = (partition: number): ((message: Message) => Line) => {
  const timestampText = makeTimestampText();

  const unreadable = (offset: number, value: Buffer): Line => {
    const shown = value.subarray(0, mostShown).toString();
    const said = `partition ${partition}, offset ${offset}: no object of JSON: ${shown}`;
    return { head: JSON.stringify(said), rest: null };
  };

  return ({ offset, timestamp, key, value }) => {
    const keyPart = key === null ? 'null' : JSON.stringify(keyText(key));
    const fixed = `{"_partition":${partition},"_offset":${offset},"_timestamp":${timestampText(timestamp)},"_key":${keyPart}`;
    if (value === null) return { head: `${fixed}}`, rest: null };
    const line = lineEnds(value) ? onOneLine(value) : value;
    const at = line === undefined ? 0 : skipBlank(line, 0);
    if (line === undefined || !isObjectAt(line, at)) return unreadable(offset, value);
    const own = withoutCollisions(line, at);
    const first = skipBlank(own, at + 1);
    const isEmpty = own[first] === 0x7d;
    return { head: isEmpty ? fixed : `${fixed},`, rest: own.subarray(first) };
  };
};
