import { oddAnswer } from '../objects/failures.js';
import type { Rooted } from '../objects/keys.js';
import { childrenOf, parseXml, textAt } from '../objects/xml.js';
import type { Element } from '../objects/xml.js';
import type { StoreFile } from '../store.js';
import type { Bucket } from './bucket.js';

const decoded = (text: string): string => decodeURIComponent(text.replaceAll('+', ' '));

export const bareEtag = (etag: string): string => etag.replace(/^"|"$/g, '');

/** To the second, which is all that the file's own headers say. */
export const wholeSeconds = (date: Date): Date =>
  new Date(Math.floor(date.getTime() / 1000) * 1000);

const fileOf = (rooted: Rooted, entry: Element): StoreFile | undefined => {
  const key = rooted.own(decoded(textAt(entry, 'Key')));
  if (key === undefined) return undefined;
  return {
    key,
    bytes: Number(textAt(entry, 'Size')),
    etag: bareEtag(textAt(entry, 'ETag')),
    modifiedAt: wholeSeconds(new Date(textAt(entry, 'LastModified'))),
  };
};

/** Page by page, in the order of the keys' bytes, which is the service's own. */
export async function* listBucket(
  bucket: Bucket,
  rooted: Rooted,
  { prefix, after, page = 1000 }: { prefix: string; after: string; page?: number },
  signal: AbortSignal,
): AsyncGenerator<StoreFile> {
  let token: string | undefined;
  do {
    const query = {
      'list-type': '2',
      'encoding-type': 'url',
      'max-keys': String(page),
      prefix: rooted.fullPrefix(prefix),
      ...(after === '' ? {} : { 'start-after': rooted.fullPrefix(after) }),
      ...(token === undefined ? {} : { 'continuation-token': token }),
    };
    const request = { method: 'GET', path: bucket.pathOf(), query } as const;
    const { text } = await bucket.send(request, { signal, accepts: [200] });
    const result = parseXml(text);
    if (result?.name !== 'ListBucketResult') throw oddAnswer(bucket.words);
    for (const entry of childrenOf(result, 'Contents')) {
      const file = fileOf(rooted, entry);
      if (file) yield file;
      signal.throwIfAborted();
    }
    const next = textAt(result, 'NextContinuationToken');
    token = textAt(result, 'IsTruncated') === 'true' && next !== '' ? next : undefined;
  } while (token !== undefined);
}
