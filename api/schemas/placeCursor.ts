import { createHash } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import { AppError } from '../../core/errors.js';
import { isStorableText } from '../../core/text.js';

/** Where a list of a system's own things goes on: opaque, and good for the same question only. */
export const placeCursor = Type.String({ minLength: 1, maxLength: 6_000 });

const hashOf = (question: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(question)).digest('base64url').slice(0, 16);

export const writePlace = (question: readonly unknown[], after: string | null): string | null =>
  after === null
    ? null
    : Buffer.from(JSON.stringify([hashOf(question), after])).toString('base64url');

const refused = (): AppError =>
  new AppError('invalid_cursor', 'This cursor was not handed out for this list and its filters.', {
    errors: [{ pointer: '/cursor', code: 'invalid_cursor', message: 'Start again without it.' }],
  });

const parse = (text: string): unknown => {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
};

export const readPlace = (question: readonly unknown[], cursor: string): string => {
  const parts: unknown = parse(cursor);
  const [hash, after] = Array.isArray(parts) ? (parts as unknown[]) : [];
  const ours = hash === hashOf(question) && typeof after === 'string' && isStorableText(after);
  if (!ours) throw refused();
  return after;
};
