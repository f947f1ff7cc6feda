import type { CallContext } from '../../connectors/connector.js';
import type { Store } from '../../connectors/store.js';
import { RunFailure } from '../../core/failures.js';

/** How long a measurement is believed. Others write, too. */
const freshMs = 2000;

export interface Usage {
  /** Bytes that lie in the store, measured now. */
  measure(ctx: CallContext): Promise<number>;
  /** Refuses bytes beyond the limit; what it lets in counts until `release`. */
  reserve(bytes: number, ctx: CallContext): Promise<{ release(): void }>;
}

const gigabytes = (bytes: number): string => `${(bytes / 2 ** 30).toFixed(1)} GiB`;

const full = (maxBytes: number): RunFailure =>
  new RunFailure({
    code: 'resource_exhausted',
    // One run may want more than there is: waiting for others would not help it.
    class: 'config',
    message:
      `The staging store is full (${gigabytes(maxBytes)}): raise FLX_STAGING_MAX_BYTES, ` +
      'or start it again when other runs have ended.',
  });

export const makeUsage = (store: Store, maxBytes: number): Usage => {
  let measured = { bytes: 0, at: -Infinity };
  /** Bytes that were let in and may not have been there when it was measured. */
  let pending = 0;
  let added = 0;

  const measure = async ({ signal, log }: CallContext): Promise<number> => {
    const before = added;
    let bytes = 0;
    for await (const file of store.list('', { signal, log })) bytes += file.bytes;
    measured = { bytes, at: performance.now() };
    added -= before;
    return bytes;
  };

  const roomLeft = (): number => maxBytes - measured.bytes;

  const fits = (bytes: number): boolean => added + pending + bytes <= roomLeft();

  /** Others have been filling the rest meanwhile: near the limit only a new measurement counts. */
  const surelyFits = (bytes: number): boolean => added + pending + bytes <= roomLeft() / 2;

  return {
    measure,
    reserve: async (bytes, ctx) => {
      const stale = performance.now() - measured.at > freshMs;
      if (stale || !surelyFits(bytes)) await measure(ctx);
      if (!fits(bytes)) throw full(maxBytes);
      pending += bytes;
      return {
        release: () => {
          pending -= bytes;
          added += bytes;
        },
      };
    },
  };
};
