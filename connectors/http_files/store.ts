import { RunFailure } from '../../core/failures.js';
import type { CallContext } from '../connector.js';
import { changedFile, missingFile } from '../objects/failures.js';
import { isPath, rootedAt } from '../objects/keys.js';
import { rangeHeader, resumingRead } from '../objects/reading.js';
import type { ByteRange, OpenedFile } from '../objects/reading.js';
import { leave } from '../objects/sender.js';
import type { StreamAnswer } from '../objects/sender.js';
import type { Store, StoreFile } from '../store.js';
import type { Site } from './site.js';

const readOnly = (): Promise<never> =>
  Promise.reject(
    new RunFailure({
      code: 'config_invalid',
      class: 'config',
      message: 'Files over HTTP can only be read: choose another connection as the destination.',
    }),
  );

/** What tells one contents of a file from another; sites that say nothing of the kind say length. */
const etagOf = ({ header }: StreamAnswer, bytes: number | undefined): string => {
  const etag = header('etag');
  if (etag !== undefined) return etag;
  return [header('last-modified') ?? '', bytes ?? ''].join('/');
};

/** What is said of a file of which the site says nothing. */
const unknown = '/';

/** All of the file's bytes, where the site says how many there are. */
const lengthOf = ({ status, header }: StreamAnswer): number | undefined => {
  const [, whole] = /^bytes (?:\d+-\d+|\*)\/(\d+)$/.exec(header('content-range') ?? '') ?? [];
  const said = status === 206 || status === 416 ? whole : header('content-length');
  return said === undefined ? undefined : Number(said);
};

/** Bytes [from, to) of a stream that has all of them: some sites know no ranges. */
async function* cut(
  chunks: AsyncIterable<Buffer>,
  { from, to }: ByteRange,
): AsyncGenerator<Buffer> {
  let at = 0;
  for await (const chunk of chunks) {
    const end = to === undefined ? chunk.length : Math.min(chunk.length, to - at);
    const part = chunk.subarray(Math.max(0, from - at), Math.max(0, end));
    at += chunk.length;
    if (part.length > 0) yield part;
    if (to !== undefined && at >= to) return;
  }
}

const comparing = (one: string, other: string): number =>
  Buffer.compare(Buffer.from(one), Buffer.from(other));

export const makeHttpFiles = (site: Site, files?: readonly string[]): Store => {
  const { full } = rootedAt();
  const listed = [...(files ?? [])].sort(comparing);

  /** Sites without HEAD are asked for the first byte. */
  const look = async (key: string, signal: AbortSignal): Promise<StreamAnswer> => {
    const expected = { signal, file: key };
    const head = await site.open(
      'HEAD',
      full(key),
      {},
      { ...expected, accepts: [200, 403, 404, 405, 410, 501] },
    );
    await leave(head);
    if ([200, 404, 410].includes(head.status)) return head;
    const accepts = [200, 206, 404, 410, 416];
    const first = await site.open(
      'GET',
      full(key),
      { range: 'bytes=0-0' },
      { ...expected, accepts },
    );
    await leave(first);
    return first;
  };

  const stat = async (key: string, { signal }: CallContext): Promise<StoreFile | undefined> => {
    const answer = await look(key, signal);
    if (answer.status === 404 || answer.status === 410) return undefined;
    const bytes = lengthOf(answer);
    return {
      key,
      // Answers that are made while they are sent do not say it.
      bytes: bytes ?? 0,
      etag: etagOf(answer, bytes),
      modifiedAt: new Date(answer.header('last-modified') ?? 0),
    };
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
    // Not under a condition: sites answer to those in too many ways. What comes says what it is.
    const accepts = [200, 206, 404, 410, 416];
    const answer = await site.open('GET', full(key), rangeHeader(range), {
      signal,
      accepts,
      file: key,
    });
    if (answer.status === 200 || answer.status === 206) {
      const own = etagOf(answer, lengthOf(answer));
      // Going on in a file of which nothing is known would be a guess.
      if (etag !== undefined && (own !== etag || own === unknown)) {
        await leave(answer);
        throw changedFile(key);
      }
      const chunks = answer.status === 206 ? answer.body : cut(answer.body, range);
      return { etag: own, chunks };
    }
    await leave(answer);
    if (answer.status === 416) return undefined;
    throw missingFile(key);
  };

  async function* list(prefix: string, ctx: CallContext, after: string): AsyncGenerator<StoreFile> {
    if (!files) {
      // There may be others that begin like it; nobody can tell.
      const file = isPath(prefix) && comparing(prefix, after) > 0 && (await stat(prefix, ctx));
      if (file) yield file;
      return;
    }
    for (const key of listed) {
      if (!key.startsWith(prefix) || comparing(key, after) <= 0) continue;
      yield await requireThere(key, ctx);
    }
  }

  return {
    list: (prefix, ctx, { after = '' } = {}) => list(prefix, ctx, after),

    stat,

    read: (key, range, ctx) =>
      resumingRead(
        {
          key,
          words: site.words,
          open: (part, etag) => open(key, part, etag, ctx.signal),
          requireThere: () => requireThere(key, ctx),
        },
        range,
        ctx,
      ),

    write: readOnly,
    rename: readOnly,
    remove: readOnly,
  };
};

/** Reaches the site; whether a file is there is known only of those that are listed. */
export const checkSite = async (
  site: Site,
  store: Store,
  files: readonly string[] | undefined,
  ctx: CallContext,
): Promise<{ serverVersion: string | null; notes: readonly string[] }> => {
  const [first] = files ?? [];
  if (first !== undefined) {
    const file = await store.stat(first, ctx);
    const notes = file ? [] : [`There is no file ${first}.`];
    return { serverVersion: null, notes };
  }
  const answer = await site.open(
    'GET',
    '',
    {},
    { signal: ctx.signal, accepts: [200, 206, 403, 404, 405] },
  );
  await leave(answer);
  const notes = ['No files are listed: nodes have to name theirs, without wildcards.'];
  return { serverVersion: null, notes };
};
