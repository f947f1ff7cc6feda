import type { CallContext } from '../connector.js';
import { changedFile, missingFile } from '../objects/failures.js';
import { rootedAt } from '../objects/keys.js';
import type { Rooted } from '../objects/keys.js';
import { rangeHeader, resumingRead } from '../objects/reading.js';
import type { ByteRange, OpenedFile } from '../objects/reading.js';
import { leave } from '../objects/sender.js';
import type { TextAnswer } from '../objects/sender.js';
import { uploadParts } from '../objects/writing.js';
import type { Uploads } from '../objects/writing.js';
import type { Store, StoreFile } from '../store.js';
import { jsonOf } from './bucket.js';
import type { Bucket, ObjectFacts } from './bucket.js';
import { beginSession } from './resumable.js';

const facts = 'name,size,generation,updated';
const partBytes = 8 * 1024 ** 2;

/** A generation is a number that the service gives to every contents of an object. */
const fileOf = (key: string, { size, generation, updated }: ObjectFacts): StoreFile => ({
  key,
  bytes: Number(size),
  etag: generation,
  version: generation,
  modifiedAt: new Date(updated),
});

interface Page {
  items?: ObjectFacts[];
  nextPageToken?: string;
}

/** Page by page, in the order of the keys' bytes, which is the service's own. */
async function* listBucket(
  bucket: Bucket,
  rooted: Rooted,
  { prefix, after }: { prefix: string; after: string },
  signal: AbortSignal,
): AsyncGenerator<StoreFile> {
  let pageToken: string | undefined;
  do {
    const query = {
      prefix: rooted.fullPrefix(prefix),
      maxResults: '1000',
      fields: `nextPageToken,items(${facts})`,
      ...(after === '' ? {} : { startOffset: rooted.fullPrefix(after) }),
      ...(pageToken === undefined ? {} : { pageToken }),
    };
    const request = { method: 'GET', path: bucket.objects, query } as const;
    const answer = await bucket.send(request, { signal, accepts: [200] });
    const page = jsonOf<Page>(bucket, answer, ({ items = [] }) => Array.isArray(items));
    for (const item of page.items ?? []) {
      const key = rooted.own(item.name);
      // The offset itself belongs to the page.
      if (key !== undefined && key !== after) yield fileOf(key, item);
      signal.throwIfAborted();
    }
    pageToken = page.nextPageToken;
  } while (pageToken !== undefined && pageToken !== '');
}

export const makeGcsStore = (bucket: Bucket, prefix: string | undefined): Store => {
  const rooted = rootedAt(prefix);
  const pathOf = (key: string): string => bucket.pathOf(rooted.full(key));

  const written = (key: string, answer: TextAnswer): StoreFile =>
    fileOf(
      key,
      jsonOf<ObjectFacts>(bucket, answer, ({ generation }) => typeof generation === 'string'),
    );

  const stat = async (key: string, { signal }: CallContext): Promise<StoreFile | undefined> => {
    const request = { method: 'GET', path: pathOf(key), query: { fields: facts } } as const;
    const answer = await bucket.send(request, { signal, accepts: [200, 404], file: key });
    return answer.status === 404 ? undefined : written(key, answer);
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
    const query = { alt: 'media', ...(etag === undefined ? {} : { ifGenerationMatch: etag }) };
    // What is stored packed is read as it is, not unpacked on the way.
    const headers = { ...rangeHeader(range), 'accept-encoding': 'gzip' };
    const answer = await bucket.open(
      { method: 'GET', path: pathOf(key), query, headers },
      { signal, accepts: [200, 206, 404, 412, 416], file: key },
    );
    if (answer.status < 300) {
      return { etag: answer.header('x-goog-generation') ?? '', chunks: answer.body };
    }
    await leave(answer);
    if (answer.status === 404) throw missingFile(key);
    if (answer.status === 412) throw changedFile(key);
    return undefined;
  };

  const uploadsOf = (key: string, signal: AbortSignal): Uploads => ({
    partBytes,
    whole: async (body) => {
      const query = { uploadType: 'media', name: rooted.full(key), fields: facts };
      const headers = { 'content-type': 'application/octet-stream' };
      const request = { method: 'POST', path: bucket.uploads, query, headers, body } as const;
      return written(key, await bucket.send(request, { signal, accepts: [200] }));
    },
    begin: async () => {
      const session = await beginSession(bucket, rooted.full(key), { signal, file: key });
      // The last part says how long all of it is: until it is known to be the last it waits here.
      let held: Buffer = Buffer.alloc(0);
      return {
        part: async (number, bytes) => {
          if (number > 1) await session.send(held, signal);
          held = bytes;
        },
        finish: async () => written(key, await session.finish(held, signal)),
        abort: session.abort,
      };
    },
  });

  return {
    list: (wanted, { signal }, { after = '' } = {}) =>
      listBucket(bucket, rooted, { prefix: wanted, after }, signal),

    stat,

    read: (key, range, ctx) =>
      resumingRead(
        {
          key,
          words: bucket.words,
          open: (part, etag) => open(key, part, etag, ctx.signal),
          requireThere: () => requireThere(key, ctx),
        },
        range,
        ctx,
      ),

    write: async (key, chunks, ctx) => {
      rooted.full(key);
      return uploadParts(chunks, uploadsOf(key, ctx.signal), ctx);
    },

    rename: async (from, to, ctx) => {
      const target = rooted.full(to);
      const { etag } = await requireThere(from, ctx);
      if (from === to) return;
      const expected = { signal: ctx.signal, file: from };
      const path = `${pathOf(from)}/rewriteTo${bucket.pathOf(target).slice('/storage/v1'.length)}`;
      let rewriteToken: string | undefined;
      do {
        const query = {
          ifSourceGenerationMatch: etag,
          ...(rewriteToken === undefined ? {} : { rewriteToken }),
        };
        const answer = await bucket.send(
          { method: 'POST', path, query },
          { ...expected, accepts: [200, 404, 412] },
        );
        if (answer.status === 404) throw missingFile(from);
        if (answer.status === 412) throw changedFile(from);
        const state = jsonOf<{ done: boolean; rewriteToken?: string }>(
          bucket,
          answer,
          ({ done }) => typeof done === 'boolean',
        );
        rewriteToken = state.done ? undefined : state.rewriteToken;
      } while (rewriteToken !== undefined);
      const query = { ifGenerationMatch: etag };
      const request = { method: 'DELETE', path: pathOf(from), query } as const;
      const removed = await bucket.send(request, { ...expected, accepts: [200, 204, 404, 412] });
      if (removed.status === 412) throw changedFile(from);
    },

    remove: async (key, { signal }) => {
      const request = { method: 'DELETE', path: pathOf(key) } as const;
      await bucket.send(request, { signal, accepts: [200, 204, 404], file: key });
    },
  };
};
