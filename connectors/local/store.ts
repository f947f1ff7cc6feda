import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, rename, unlink } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { RunFailure } from '../../core/failures.js';
import type { Role } from '../manifest.js';
import type { LocalDirectories } from '../connector.js';
import type { Store, StoreFile } from '../store.js';
import { classify, codeOf } from './classify.js';
import { fileOf, listFiles } from './list.js';
import { inDirectory, keyParts, makeDirectory, openDirectory, realRoot } from './rooted.js';
import type { Rooted } from './rooted.js';

const chunkBytes = 256 * 1024;

// A named pipe would hang an open that waits for its other end.
const readOnly = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const newOnly = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

const split = (key: string): { directory: string[]; name: string } => {
  const parts = keyParts(key);
  return { directory: parts.slice(0, -1), name: parts.at(-1) ?? '' };
};

const missing = (key: string): RunFailure =>
  new RunFailure({
    code: 'schema_drift',
    class: 'schema',
    message: `There is no file ${key} (any more). Links and special files do not count.`,
  });

const notADirectory = (parts: readonly string[]): RunFailure =>
  new RunFailure({
    code: 'config_invalid',
    class: 'config',
    message: `A file or a symbolic link is where a directory has to be: ${parts.join('/')}.`,
  });

/** All of the buffer, also where the system takes only a part at a time. */
const writeAll = async (handle: FileHandle, chunk: Buffer): Promise<void> => {
  for (let at = 0; at < chunk.length;) {
    at += (await handle.write(chunk, at, chunk.length - at)).bytesWritten;
  }
};

/** Renames last a power failure once their directory is synced. Some file systems cannot. */
const syncDirectory = async (directory: Rooted): Promise<void> => {
  const handle = await open(directory.at('.'), constants.O_RDONLY);
  await handle.sync().catch(() => undefined);
  await handle.close();
};

/** A directory of this host as a store. Its root is looked up anew for every call. */
export const makeLocalStore = (root: string, role: Role, directories: LocalDirectories): Store => {
  const rootNow = (): Promise<string> => realRoot(root, directories);

  const guarded = async <Result>(
    key: string,
    work: () => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> => {
    signal?.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      throw classify(error, role, key);
    }
  };

  const openFile = async (key: string): Promise<FileHandle | undefined> => {
    const { directory, name } = split(key);
    return inDirectory(await rootNow(), directory, async ({ at }) => {
      const handle = await open(at(name), readOnly).catch((error: unknown) => {
        if (['ENOENT', 'ELOOP', 'ENXIO'].includes(codeOf(error))) return undefined;
        throw error;
      });
      if (!handle || (await handle.stat()).isFile()) return handle;
      await handle.close();
      return undefined;
    });
  };

  async function* chunksOf(
    key: string,
    range: { from: number; to?: number },
    signal: AbortSignal,
  ): AsyncGenerator<Buffer> {
    signal.throwIfAborted();
    const handle = await guarded(key, () => openFile(key));
    if (!handle) throw missing(key);
    try {
      const end = range.to ?? Number.MAX_SAFE_INTEGER;
      for (let at = range.from; at < end;) {
        signal.throwIfAborted();
        const wanted = Math.min(chunkBytes, end - at);
        const { bytesRead, buffer } = await guarded(key, () =>
          handle.read(Buffer.allocUnsafeSlow(wanted), 0, wanted, at),
        );
        if (bytesRead === 0) return;
        at += bytesRead;
        yield buffer.subarray(0, bytesRead);
      }
    } finally {
      await handle.close();
    }
  }

  const writeInto = async (
    directory: Rooted,
    key: string,
    name: string,
    chunks: AsyncIterable<Buffer>,
    durable: boolean,
    signal: AbortSignal,
  ): Promise<StoreFile> => {
    const temporary = directory.at(`.flx-${randomUUID()}.part`);
    const handle = await guarded(key, () => open(temporary, newOnly, 0o640));
    try {
      // What the chunks' own source throws is not the file system's failure.
      for await (const chunk of chunks) {
        signal.throwIfAborted();
        await guarded(key, () => writeAll(handle, chunk));
      }
      signal.throwIfAborted();
      return await guarded(key, async () => {
        if (durable) await handle.sync();
        await rename(temporary, directory.at(name));
        if (durable) await syncDirectory(directory);
        return fileOf(key, await handle.stat({ bigint: true }));
      });
    } catch (error) {
      await unlink(temporary).catch(() => undefined);
      throw error;
    } finally {
      await handle.close();
    }
  };

  /** In the directory of a file that is to be, made if need be. */
  const inNew = async <Result>(
    key: string,
    work: (directory: Rooted, name: string) => Promise<Result>,
  ): Promise<Result> => {
    const { directory: parts, name } = split(key);
    const directory = await guarded(key, async () => {
      const real = await rootNow();
      await makeDirectory(real, parts);
      return openDirectory(real, parts);
    });
    if (!directory) throw notADirectory(parts);
    try {
      return await work(directory, name);
    } finally {
      await directory.close();
    }
  };

  return {
    list: (prefix, { signal }, { after = '' } = {}) =>
      listFiles(rootNow, role, { prefix, after }, signal),

    stat: (key, { signal }) =>
      guarded(
        key,
        async () => {
          const { directory, name } = split(key);
          return inDirectory(await rootNow(), directory, async ({ at }) => {
            const stats = await lstat(at(name), { bigint: true }).catch((error: unknown) => {
              if (codeOf(error) === 'ENOENT') return undefined;
              throw error;
            });
            return stats?.isFile() ? fileOf(key, stats) : undefined;
          });
        },
        signal,
      ),

    read: (key, range, { signal }) => chunksOf(key, range, signal),

    write: (key, chunks, { signal }, { durable = true } = {}) =>
      inNew(key, (directory, name) => writeInto(directory, key, name, chunks, durable, signal)),

    localPath: (key) =>
      guarded(key, async () => {
        const handle = await openFile(key);
        if (!handle) throw missing(key);
        await handle.close();
        return join(await rootNow(), ...keyParts(key));
      }),

    rename: (from, to, { signal }) => {
      const move = async (): Promise<void> => {
        const { directory, name } = split(from);
        const source = await openFile(from);
        if (!source) throw missing(from);
        await source.sync();
        await source.close();
        await inNew(to, async (target, targetName) =>
          inDirectory(await rootNow(), directory, async (old) => {
            await rename(old.at(name), target.at(targetName));
            await syncDirectory(target);
          }),
        );
      };
      return guarded(from, move, signal);
    },

    remove: (key, { signal }) => {
      const unlinkIt = async (): Promise<void> => {
        const { directory, name } = split(key);
        await inDirectory(await rootNow(), directory, ({ at }) =>
          unlink(at(name)).catch((error: unknown) => {
            if (codeOf(error) !== 'ENOENT') throw error;
          }),
        );
      };
      return guarded(key, unlinkIt, signal);
    },
  };
};
