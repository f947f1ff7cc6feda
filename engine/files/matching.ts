import type { CallContext } from '../../connectors/connector.js';
import type { Store, StoreFile } from '../../connectors/store.js';
import { makeGlob } from './glob.js';

/** Where a file would be the first that is listed. */
async function* named(
  store: Store,
  keys: readonly string[],
  ctx: CallContext,
): AsyncGenerator<StoreFile> {
  for (const key of keys) {
    for await (const file of store.list(key, ctx)) {
      if (file.key === key) yield file;
      if (file.key >= key) break;
    }
  }
}

/**
 * The files that a path means, in order. Those that it names in full are asked for one by one: not
 * every store can list what begins like something.
 */
export async function* matching(
  store: Store,
  path: string,
  ctx: CallContext,
): AsyncGenerator<StoreFile> {
  const { keys, prefix, matches } = makeGlob(path);
  if (keys) {
    yield* named(store, keys, ctx);
    return;
  }
  for await (const file of store.list(prefix, ctx)) if (matches(file.key)) yield file;
}
