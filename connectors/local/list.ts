import type { BigIntStats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import type { Role } from '../manifest.js';
import type { StoreFile } from '../store.js';
import { classify, codeOf } from './classify.js';
import { inDirectory, keyParts, temporaryName } from './rooted.js';

export const fileOf = (key: string, stats: BigIntStats): StoreFile => ({
  key,
  bytes: Number(stats.size),
  etag: `${stats.size.toString(16)}-${stats.mtimeNs.toString(16)}-${stats.ino.toString(16)}`,
  modifiedAt: stats.mtime,
});

interface Entry {
  name: string;
  /** Absent: a directory. */
  file?: StoreFile;
}

/** A directory counts as its name with a slash: that is how its files' keys go on. */
const place = ({ name, file }: Entry): Buffer => Buffer.from(file ? name : `${name}/`);

const entriesOf = async (
  real: string,
  parts: readonly string[],
  wanted: (key: string) => boolean,
): Promise<Entry[]> => {
  const entries = await inDirectory(real, parts, async ({ at }) => {
    const found: Entry[] = [];
    for (const item of await readdir(at('.'), { withFileTypes: true })) {
      const { name } = item;
      const key = [...parts, name].join('/');
      if (temporaryName.test(name)) continue;
      // Links are neither, and neither followed.
      if (item.isDirectory() && wanted(`${key}/`)) found.push({ name });
      if (!item.isFile() || !wanted(key)) continue;
      const stats = await lstat(at(name), { bigint: true }).catch((error: unknown) => {
        // It was removed while we looked.
        if (codeOf(error) === 'ENOENT') return undefined;
        throw error;
      });
      if (stats?.isFile()) found.push({ name, file: fileOf(key, stats) });
    }
    return found;
  });
  return (entries ?? []).sort((a, b) => Buffer.compare(place(a), place(b)));
};

export interface Wanted {
  prefix: string;
  /** Only files whose key comes after it. */
  after: string;
}

/** Files whose key begins with the prefix, in order of the bytes of their keys. */
export async function* listFiles(
  realRoot: () => Promise<string>,
  role: Role,
  { prefix, after }: Wanted,
  signal: AbortSignal,
): AsyncGenerator<StoreFile> {
  signal.throwIfAborted();
  const failed = (error: unknown): never => {
    throw classify(error, role, prefix);
  };
  const real = await realRoot().catch(failed);
  const slash = prefix.lastIndexOf('/');
  const start = slash < 0 ? [] : keyParts(prefix.slice(0, slash));
  const last = Buffer.from(after);
  /** Keys below a directory come after one that they do not begin like. */
  const comesAfter = (key: string): boolean =>
    Buffer.compare(Buffer.from(key), last) > 0 || (key.endsWith('/') && after.startsWith(key));
  const wanted = (key: string): boolean =>
    (key.startsWith(prefix) || prefix.startsWith(key)) && comesAfter(key);

  async function* below(parts: readonly string[]): AsyncGenerator<StoreFile> {
    for (const { name, file } of await entriesOf(real, parts, wanted).catch(failed)) {
      signal.throwIfAborted();
      if (!file) yield* below([...parts, name]);
      else if (file.key.startsWith(prefix)) yield file;
    }
  }
  yield* below(start);
}
