import type { CallContext } from '../connector.js';
import { changedFile, missingFile } from '../objects/failures.js';
import { rootedAt } from '../objects/keys.js';
import { rangeHeader, resumingRead } from '../objects/reading.js';
import type { ByteRange, OpenedFile } from '../objects/reading.js';
import { leave } from '../objects/sender.js';
import type { Headers } from '../objects/sender.js';
import { uploadParts } from '../objects/writing.js';
import type { Store, StoreFile } from '../store.js';
import type { Bucket } from './bucket.js';
import { copyObject, copySizes } from './copy.js';
import type { CopySizes } from './copy.js';
import { bareEtag, listBucket, wholeSeconds } from './list.js';
import { beginMultipart } from './upload.js';

export interface StoreSizes {
  uploadPart: number;
  copy: CopySizes;
}

const usualSizes: StoreSizes = { uploadPart: 8 * 1024 ** 2, copy: copySizes };

const fileOf = (key: string, { header }: Headers): StoreFile => {
  const version = header('x-amz-version-id');
  return {
    key,
    bytes: Number(header('content-length') ?? 0),
    etag: bareEtag(header('etag') ?? ''),
    ...(version === undefined || version === 'null' ? {} : { version }),
    modifiedAt: wholeSeconds(new Date(header('last-modified') ?? 0)),
  };
};

export const makeS3Store = (
  bucket: Bucket,
  prefix: string | undefined,
  sizes: StoreSizes = usualSizes,
): Store => {
  const rooted = rootedAt(prefix);
  const pathOf = (key: string): string => bucket.pathOf(rooted.full(key));

  const stat = async (key: string, { signal }: CallContext): Promise<StoreFile | undefined> => {
    const path = pathOf(key);
    const expected = { signal, file: key };
    // An answer to HEAD cannot say why it is none.
    const accepts = [200, 400, 403, 404, 301];
    const head = await bucket.send({ method: 'HEAD', path }, { ...expected, accepts });
    if (head.status === 200) return fileOf(key, head);
    if (head.status === 404) return undefined;
    const headers = { range: 'bytes=0-0' };
    await bucket.send({ method: 'GET', path, headers }, { ...expected, accepts: [404] });
    return undefined;
  };

  const written = async (key: string, ctx: CallContext): Promise<StoreFile> => {
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
    const accepts = [200, 206, 412, 416];
    const answer = await bucket.open(
      { method: 'GET', path: pathOf(key), headers },
      { signal, accepts, file: key },
    );
    if (answer.status < 300) {
      return { etag: bareEtag(answer.header('etag') ?? ''), chunks: answer.body };
    }
    await leave(answer);
    if (answer.status === 412) throw changedFile(key);
    return undefined;
  };

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
          requireThere: () => written(key, ctx),
        },
        range,
        ctx,
      ),

    write: async (key, chunks, ctx) => {
      const path = pathOf(key);
      const { signal } = ctx;
      const uploads = {
        partBytes: sizes.uploadPart,
        whole: async (body: Buffer) => {
          await bucket.send({ method: 'PUT', path, body }, { signal, accepts: [200], file: key });
          return written(key, ctx);
        },
        begin: async () => {
          const upload = await beginMultipart(bucket, rooted.full(key), { signal, file: key });
          return {
            part: (number: number, body: Buffer) => upload.part(number, { body }, signal),
            finish: async () => {
              await upload.finish(signal);
              return written(key, ctx);
            },
            abort: upload.abort,
          };
        },
      };
      return uploadParts(chunks, uploads, ctx);
    },

    rename: async (from, to, ctx) => {
      if (from === to) return;
      const source = await written(from, ctx);
      const { etag, bytes } = source;
      const fullKey = rooted.full(from);
      const expected = { signal: ctx.signal, file: from };
      await copyObject(bucket, { fullKey, etag, bytes }, rooted.full(to), sizes.copy, expected);
      await bucket.send(
        { method: 'DELETE', path: bucket.pathOf(fullKey) },
        { ...expected, accepts: [200, 204, 404] },
      );
    },

    remove: async (key, { signal }) => {
      const accepts = [200, 204, 404];
      await bucket.send({ method: 'DELETE', path: pathOf(key) }, { signal, accepts, file: key });
    },
  };
};
