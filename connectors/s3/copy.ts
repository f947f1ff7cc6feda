import { changedFile } from '../objects/failures.js';
import { encodeKey } from '../objects/keys.js';
import type { Bucket } from './bucket.js';
import { beginMultipart, requireResult } from './upload.js';

export interface CopySource {
  fullKey: string;
  etag: string;
  bytes: number;
}

/** What a copy by a single request may have, and the parts of one by several. */
export interface CopySizes {
  single: number;
  part: number;
}

export const copySizes: CopySizes = { single: 5 * 1024 ** 3, part: 1024 ** 3 };

const abortTimeoutMs = 15_000;

/** Copies an object within its bucket, on the server's side, as it was when it was looked at. */
export const copyObject = async (
  bucket: Bucket,
  source: CopySource,
  to: string,
  { single, part }: CopySizes,
  expected: { signal: AbortSignal; file: string },
): Promise<void> => {
  const { signal, file } = expected;
  const headers = {
    // In the path style, whatever the style of the address is.
    'x-amz-copy-source': `/${bucket.name}/${encodeKey(source.fullKey)}`,
    'x-amz-copy-source-if-match': `"${source.etag}"`,
  };
  if (source.bytes <= single) {
    const path = bucket.pathOf(to);
    const accepts = [200, 412];
    const answer = await bucket.send({ method: 'PUT', path, headers }, { signal, accepts, file });
    if (answer.status === 412) throw changedFile(file);
    requireResult(bucket, 'CopyObjectResult', answer);
    return;
  }
  const upload = await beginMultipart(bucket, to, expected);
  try {
    for (let from = 0, number = 1; from < source.bytes; from += part, number++) {
      const last = Math.min(from + part, source.bytes) - 1;
      const range = { 'x-amz-copy-source-range': `bytes=${from}-${last}` };
      await upload.part(number, { headers: { ...headers, ...range } }, signal);
    }
    await upload.finish(signal);
  } catch (error) {
    await upload.abort(AbortSignal.timeout(abortTimeoutMs)).catch(() => undefined);
    throw error;
  }
};
