import { randomUUID } from 'node:crypto';
import type { Checked } from '../../core/browse.js';
import { RunFailure } from '../../core/failures.js';
import type { CallContext } from '../connector.js';
import type { Role } from '../manifest.js';
import type { Store, StoreFile } from '../store.js';

const deniedCodes = ['source_permission_denied', 'destination_permission_denied'];

/** What is not allowed is told; everything else that goes wrong is why the check fails. */
const denied = async (work: () => Promise<void>): Promise<boolean> => {
  try {
    await work();
    return false;
  } catch (error) {
    if (error instanceof RunFailure && deniedCodes.includes(error.failure.code)) return true;
    throw error;
  }
};

async function* nothing(): AsyncGenerator<Buffer> {
  yield Buffer.alloc(0);
}

/**
 * Whether files can be listed, which is needed whatever is done with them, read and, by a
 * destination, written: a file without contents is written and removed again.
 */
export const checkStore = async (store: Store, role: Role, ctx: CallContext): Promise<Checked> => {
  const notes: string[] = [];
  let found: StoreFile | undefined;
  for await (const file of store.list('', ctx)) {
    found = file;
    break;
  }
  const read = async (): Promise<void> => {
    if (!found) return;
    for await (const chunk of store.read(found.key, { from: 0, to: 1 }, ctx)) {
      if (chunk.length > 0) break;
    }
  };
  const write = async (): Promise<void> => {
    const key = `.fluxline-check-${randomUUID()}`;
    await store.write(key, nothing(), ctx);
    await store.remove(key, ctx);
  };
  if (await denied(read)) notes.push('Files may be listed, but not read.');
  if (role === 'destination' && (await denied(write))) {
    notes.push('Files may not be written or not be removed: it can only be a source.');
  }
  return { serverVersion: null, notes };
};
