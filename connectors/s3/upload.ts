import { changedFile, oddAnswer } from '../objects/failures.js';
import type { Expected, TextAnswer } from '../objects/sender.js';
import { parseXml, textAt } from '../objects/xml.js';
import type { Bucket } from './bucket.js';
import { bareEtag } from './list.js';

/** An object that comes in parts, sent or copied. */
export interface Multipart {
  id: string;
  /** What is sent or copied, and what the service answers. */
  part(
    number: number,
    what: { body: Buffer } | { headers: Readonly<Record<string, string>> },
    signal: AbortSignal,
  ): Promise<void>;
  finish(signal: AbortSignal): Promise<TextAnswer>;
  abort: (signal: AbortSignal) => Promise<void>;
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

const partsXml = (etags: readonly string[]): Buffer =>
  Buffer.from(
    `<CompleteMultipartUpload>${etags
      .map((etag, index) => {
        const number = `<PartNumber>${index + 1}</PartNumber>`;
        return `<Part>${number}<ETag>${escaped(etag)}</ETag></Part>`;
      })
      .join('')}</CompleteMultipartUpload>`,
  );

/** A copy or a completion may begin its answer with 200 and then fail. */
export const requireResult = (bucket: Bucket, name: string, answer: TextAnswer): TextAnswer => {
  if (parseXml(answer.text)?.name !== name) throw oddAnswer(bucket.words);
  return answer;
};

export const beginMultipart = async (
  bucket: Bucket,
  fullKey: string,
  expected: Omit<Expected, 'accepts'>,
): Promise<Multipart> => {
  const path = bucket.pathOf(fullKey);
  const { file = fullKey } = expected;
  const begun = await bucket.send(
    { method: 'POST', path, query: { uploads: '' } },
    { ...expected, accepts: [200] },
  );
  const id = textAt(parseXml(begun.text), 'UploadId');
  if (id === '') throw oddAnswer(bucket.words);
  const etags: string[] = [];
  return {
    id,
    part: async (number, what, signal) => {
      const query = { partNumber: String(number), uploadId: id };
      const accepts = [200, 412];
      const answer = await bucket.send(
        { method: 'PUT', path, query, ...what },
        { signal, accepts, file },
      );
      if (answer.status === 412) throw changedFile(file);
      const copied = textAt(parseXml(answer.text), 'ETag');
      const etag = 'body' in what ? answer.header('etag') : copied;
      if (etag === undefined || etag === '') throw oddAnswer(bucket.words);
      etags[number - 1] = etag;
    },
    finish: async (signal) => {
      const query = { uploadId: id };
      const answer = await bucket.send(
        { method: 'POST', path, query, body: partsXml(etags) },
        { signal, accepts: [200, 404], file },
      );
      if (answer.status === 200) {
        return requireResult(bucket, 'CompleteMultipartUploadResult', answer);
      }
      // An attempt before this one may have been heard, though its answer was not.
      const there = await bucket.send({ method: 'HEAD', path }, { signal, accepts: [200], file });
      const etag = bareEtag(there.header('etag') ?? '');
      if (!etag.endsWith(`-${etags.length}`)) throw oddAnswer(bucket.words);
      return there;
    },
    abort: async (signal) => {
      const request = { method: 'DELETE', path, query: { uploadId: id } } as const;
      await bucket.send(request, { signal, accepts: [204, 404], file });
    },
  };
};
