import { oddAnswer } from '../objects/failures.js';
import type { Headers, TextAnswer } from '../objects/sender.js';
import type { Bucket } from './bucket.js';

/** An object that is sent piece by piece, in order; its length is told with the last one. */
export interface Session {
  send: (bytes: Buffer, signal: AbortSignal) => Promise<void>;
  /** With the last piece the object is there. */
  finish: (bytes: Buffer, signal: AbortSignal) => Promise<TextAnswer>;
  abort: (signal: AbortSignal) => Promise<void>;
}

const goesOn = 308;

/** How far the service has got: it may keep less than it was sent. */
const reached = ({ header }: Headers): number => {
  const [, last] = /^bytes=0-(\d+)$/.exec(header('range') ?? '') ?? [];
  return last === undefined ? 0 : Number(last) + 1;
};

const mostRounds = 20;

export const beginSession = async (
  bucket: Bucket,
  fullKey: string,
  expected: { signal: AbortSignal; file: string },
): Promise<Session> => {
  const query = { uploadType: 'resumable', name: fullKey };
  const headers = { 'x-upload-content-type': 'application/octet-stream' };
  const request = { method: 'POST', path: bucket.uploads, query, headers } as const;
  const begun = await bucket.send(request, { signal: expected.signal, accepts: [200, 201] });
  const location = begun.header('location') ?? '';
  if (!URL.canParse(location)) throw oddAnswer(bucket.words);
  const { origin, pathname, searchParams } = new URL(location);
  const session = { origin, path: pathname, query: Object.fromEntries(searchParams) };
  const { file } = expected;
  /** Where the next piece begins. */
  let at = 0;

  /** Sends until all of it is kept. Told how long the object is, the service answers with it. */
  const send = async (
    bytes: Buffer,
    total: number | undefined,
    signal: AbortSignal,
  ): Promise<TextAnswer> => {
    const start = at;
    const end = start + bytes.length;
    for (let round = 0; round < mostRounds; round++) {
      const body = bytes.subarray(at - start);
      const span = body.length === 0 ? '*' : `${at}-${end - 1}`;
      const range = { 'content-range': `bytes ${span}/${total ?? '*'}` };
      const answer = await bucket.send(
        { ...session, method: 'PUT', headers: range, body },
        { signal, accepts: [200, 201, goesOn], file },
      );
      if (answer.status !== goesOn) return answer;
      const kept = reached(answer);
      // It never takes back what it has kept, and has nothing that it was not sent.
      if (kept < at || kept > end) throw oddAnswer(bucket.words);
      at = kept;
      if (at === end && total === undefined) return answer;
    }
    throw oddAnswer(bucket.words);
  };

  return {
    send: async (bytes, signal) => {
      const answer = await send(bytes, undefined, signal);
      if (answer.status !== goesOn) throw oddAnswer(bucket.words);
    },
    finish: (bytes, signal) => send(bytes, at + bytes.length, signal),
    abort: async (signal) => {
      const accepts = [200, 204, 404, 410, 499];
      await bucket.send({ ...session, method: 'DELETE' }, { signal, accepts, file });
    },
  };
};
