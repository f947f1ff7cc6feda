import type { CallContext } from '../../connectors/connector.js';
import type { Store, StoreFile } from '../../connectors/store.js';

/** What comes after every key that begins with the text it is put behind. */
const afterAll = '\u{10ffff}';

/** So many keys below one prefix are passed over before the store is asked for what follows. */
const mostPassed = 1_000;

export interface LevelWanted {
  prefix: string;
  delimiter?: string;
  limit: number;
  after?: string;
  /** When to be content with what there is so far. */
  until: number;
}

export interface Level {
  files: readonly StoreFile[];
  prefixes: readonly string[];
  next: string | null;
}

/**
 * One page of the files below a prefix. With a delimiter what lies deeper is one entry for each
 * part up to it, whatever store it is: a directory of millions of files is stepped over.
 */
export const listLevel = async (
  store: Store,
  { prefix, delimiter, limit, after, until }: LevelWanted,
  ctx: CallContext,
): Promise<Level> => {
  const files: StoreFile[] = [];
  const prefixes: string[] = [];
  let last = after;

  const prefixOf = (key: string): string | undefined => {
    const end = delimiter === undefined ? -1 : key.indexOf(delimiter, prefix.length);
    return end < 0 ? undefined : key.slice(0, end + (delimiter ?? '').length);
  };
  const isFull = (): boolean => {
    const count = files.length + prefixes.length;
    return count >= limit || (count > 0 && Date.now() >= until);
  };

  /** Goes on from the last entry; says whether the store has to be asked anew behind it. */
  const walk = async (): Promise<'full' | 'end' | 'further'> => {
    let passed = 0;
    const options = last === undefined ? {} : { after: last };
    for await (const file of store.list(prefix, ctx, options)) {
      const below = prefixOf(file.key);
      if (below !== undefined && below === prefixes.at(-1)) {
        passed += 1;
        if (passed >= mostPassed) return 'further';
        continue;
      }
      if (isFull()) return 'full';
      passed = 0;
      if (below === undefined) files.push(file);
      else prefixes.push(below);
      last = below === undefined ? file.key : below + afterAll;
    }
    return 'end';
  };

  let walked = await walk();
  while (walked === 'further') walked = await walk();
  return { files, prefixes, next: walked === 'full' ? (last ?? null) : null };
};
