import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { CallContext } from '../connector.js';
import { changedFile, missingFile, oddAnswer } from '../objects/failures.js';
import { rootedAt } from '../objects/keys.js';
import { rangeHeader, resumingRead } from '../objects/reading.js';
import type { ByteRange, OpenedFile } from '../objects/reading.js';
import { leave } from '../objects/sender.js';
import type { Headers } from '../objects/sender.js';
import { uploadParts } from '../objects/writing.js';
import type { Uploads } from '../objects/writing.js';
import type { Store, StoreFile } from '../store.js';
import type { Container } from './container.js';
import { bareEtag, makeLister } from './list.js';

const partBytes = 8 * 1024 ** 2;
const copyPollMs = 500;

const fileOf = (key: string, bytes: number, { header }: Headers): StoreFile => {
  const version = header('x-ms-version-id');
  return {
    key,
    bytes,
    etag: bareEtag(header('etag') ?? ''),
    ...(version === undefined ? {} : { version }),
    modifiedAt: new Date(header('last-modified') ?? 0),
  };
};

const blockList = (ids: readonly string[]): Buffer =>
  Buffer.from(
    `<?xml version="1.0" encoding="utf-8"?><BlockList>${ids
      .map((id) => `<Latest>${id}</Latest>`)
      .join('')}</BlockList>`,
  );

export const makeAzureStore = (container: Container, prefix: string | undefined): Store => {
  // The service takes a backslash for a slash.
  const rooted = rootedAt(prefix, /\\/);
  const list = makeLister(container, rooted);
  const pathOf = (key: string): string => container.pathOf(rooted.full(key));

  const head = async (key: string, signal: AbortSignal): Promise<Headers | undefined> => {
    const request = { method: 'HEAD', path: pathOf(key) } as const;
    const answer = await container.send(request, { signal, accepts: [200, 404], file: key });
    return answer.status === 404 ? undefined : answer;
  };

  const stat = async (key: string, { signal }: CallContext): Promise<StoreFile | undefined> => {
    const answer = await head(key, signal);
    return answer && fileOf(key, Number(answer.header('content-length') ?? 0), answer);
  };

  const requireThere = async (key: string, ctx: CallContext): Promise<StoreFile> => {
    const file = await stat(key, ctx);
    if (!file) throw missingFile(key);
    return file;
  };

  const open = async (
    key: string,
    range: ByteRange,
    etag: string | undefined,
    signal: AbortSignal,
  ): Promise<OpenedFile | undefined> => {
    const headers = {
      ...rangeHeader(range),
      ...(etag === undefined ? {} : { 'if-match': `"${etag}"` }),
    };
    const answer = await container.open(
      { method: 'GET', path: pathOf(key), headers },
      { signal, accepts: [200, 206, 412, 416], file: key },
    );
    if (answer.status < 300) {
      return { etag: bareEtag(answer.header('etag') ?? ''), chunks: answer.body };
    }
    await leave(answer);
    if (answer.status === 412) throw changedFile(key);
    return undefined;
  };

  const uploadsOf = (key: string, signal: AbortSignal): Uploads => {
    const path = pathOf(key);
    const expected = { signal, accepts: [201], file: key };
    return {
      partBytes,
      whole: async (body) => {
        const headers = { 'x-ms-blob-type': 'BlockBlob' };
        const answer = await container.send({ method: 'PUT', path, headers, body }, expected);
        return fileOf(key, body.length, answer);
      },
      begin: async () => {
        // Somebody else's blocks of the same blob are not to be mixed with these.
        const mine = randomUUID();
        const ids: string[] = [];
        let bytes = 0;
        return {
          part: async (number, body) => {
            const id = Buffer.from(`${mine}-${String(number).padStart(6, '0')}`).toString('base64');
            const query = { comp: 'block', blockid: id };
            await container.send({ method: 'PUT', path, query, body }, expected);
            ids.push(id);
            bytes += body.length;
          },
          finish: async () => {
            const query = { comp: 'blocklist' };
            const request = { method: 'PUT', path, query, body: blockList(ids) } as const;
            return fileOf(key, bytes, await container.send(request, expected));
          },
          // Blocks that nobody has put into a list are seen nowhere, and thrown away after a week.
          abort: async () => undefined,
        };
      },
    };
  };

  /** Within an account a copy is usually done at once; else it is awaited. */
  const awaitCopy = async (key: string, started: Headers, signal: AbortSignal): Promise<void> => {
    let status = started.header('x-ms-copy-status');
    while (status === 'pending') {
      await wait(copyPollMs, undefined, { signal }).catch(() => undefined);
      signal.throwIfAborted();
      status = (await head(key, signal))?.header('x-ms-copy-status');
    }
    if (status !== 'success') throw oddAnswer(container.words);
  };

  return {
    list: (wanted, { signal }, { after = '' } = {}) => list({ prefix: wanted, after }, signal),

    stat,

    read: (key, range, ctx) =>
      resumingRead(
        {
          key,
          words: container.words,
          open: (part, etag) => open(key, part, etag, ctx.signal),
          requireThere: () => requireThere(key, ctx),
        },
        range,
        ctx,
      ),

    write: async (key, chunks, ctx) => uploadParts(chunks, uploadsOf(key, ctx.signal), ctx),

    rename: async (from, to, ctx) => {
      const { signal } = ctx;
      const target = pathOf(to);
      const { etag } = await requireThere(from, ctx);
      if (from === to) return;
      const headers = {
        'x-ms-copy-source': container.urlOf(rooted.full(from)),
        'x-ms-source-if-match': `"${etag}"`,
      };
      const copied = await container.send(
        { method: 'PUT', path: target, headers },
        { signal, accepts: [201, 202, 412], file: from },
      );
      if (copied.status === 412) throw changedFile(from);
      await awaitCopy(to, copied, signal);
      const condition = { 'if-match': `"${etag}"` };
      const removed = await container.send(
        { method: 'DELETE', path: pathOf(from), headers: condition },
        { signal, accepts: [202, 404, 412], file: from },
      );
      if (removed.status === 412) throw changedFile(from);
    },

    remove: async (key, { signal }) => {
      const request = { method: 'DELETE', path: pathOf(key) } as const;
      await container.send(request, { signal, accepts: [202, 404], file: key });
    },
  };
};
