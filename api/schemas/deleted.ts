import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import { id } from './id.js';
import { showTimestamp, timestamp } from './timestamp.js';

/** Family A's answer to a delete. */
export const deleted = Type.Object({ ok: Type.Literal(true), id, deletedAt: timestamp });

export const showDeleted = (id: string, at: Date): Static<typeof deleted> => ({
  ok: true,
  id,
  deletedAt: showTimestamp(at),
});
