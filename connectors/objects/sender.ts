/** Requests to an object store: signed anew for every attempt, repeated where that may help. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import { connectFailure } from '../../core/connecting.js';
import { RunFailure } from '../../core/failures.js';
import { readBody, transportReason } from '../httpDispatcher.js';
import { isPassing, refusalFailure } from './failures.js';
import type { Words } from './failures.js';
import { encodeWord } from './keys.js';

export interface ObjectRequest {
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** Elsewhere than where the others go. */
  origin?: string;
  /** Encoded already. */
  path: string;
  query?: Readonly<Record<string, string>>;
  headers?: Readonly<Record<string, string>>;
  body?: Buffer;
}

/** A request as it goes out. */
export interface SignedRequest {
  query: Readonly<Record<string, string>>;
  headers: Readonly<Record<string, string>>;
}

export interface Expected {
  signal: AbortSignal;
  /** Answers that are not refusals; others fail in words that name the file. */
  accepts: readonly number[];
  /** The user's own name for the file. */
  file?: string;
}

export interface Headers {
  status: number;
  header: (name: string) => string | undefined;
}

export interface TextAnswer extends Headers {
  text: string;
}

/** Its body has to be read to its end, or left. */
export interface StreamAnswer extends Headers {
  body: AsyncIterable<Buffer>;
}

/** Gives up an answer's body that nobody wants. */
export const leave = async ({ body }: StreamAnswer): Promise<void> => {
  await body[Symbol.asyncIterator]().return?.();
};

export interface Sender {
  words: Words;
  /** The whole answer. */
  send(request: ObjectRequest, expected: Expected): Promise<TextAnswer>;
  /** The answer as it comes. */
  open(request: ObjectRequest, expected: Expected): Promise<StreamAnswer>;
}

export interface SenderOptions {
  dispatcher: Dispatcher;
  origin: string;
  words: Words;
  sign: (request: ObjectRequest, signal: AbortSignal) => SignedRequest | Promise<SignedRequest>;
  /** The service's word in a refusal. */
  codeOf: (answer: TextAnswer) => string;
}

const attempts = 4;
const firstPauseMs = 100;
const longestPauseMs = 5_000;
const longestAnswer = 32 * 1024 * 1024;
const longestRefusal = 64 * 1024;

/** Large bodies take their time on slow lines. */
const uploadTimeoutMs = 300_000;

const pauseBefore = (attempt: number, retryAfter: string | undefined): number => {
  const asked = Number(retryAfter ?? 0) * 1000;
  const pause = firstPauseMs * 4 ** (attempt - 1) * (0.5 + Math.random());
  return Math.min(longestPauseMs, Math.max(pause, Number.isFinite(asked) ? asked : 0));
};

/** What went wrong below HTTP, for users. */
export const transportFailure = (error: unknown, { role, where }: Words): RunFailure => {
  if (error instanceof RunFailure) return error;
  const code = (error as { code?: unknown } | null)?.code;
  const detail = typeof code === 'string' ? { detail: `[${code}]` } : {};
  return connectFailure(transportReason(error), { role, where, ...detail, cause: error });
};

const headersOf = (answer: Dispatcher.ResponseData): Headers => ({
  status: answer.statusCode,
  header: (name) => {
    const value = answer.headers[name];
    return Array.isArray(value) ? value[0] : value;
  },
});

const textOf = async (answer: Dispatcher.ResponseData, cap: number): Promise<TextAnswer> => ({
  ...headersOf(answer),
  text: (await readBody(answer.body, cap)).toString('utf8'),
});

export const makeSender = ({ dispatcher, origin, words, sign, codeOf }: SenderOptions): Sender => {
  const once = async (
    request: ObjectRequest,
    signal: AbortSignal,
  ): Promise<Dispatcher.ResponseData> => {
    const { query, headers } = await sign(request, signal);
    const search = Object.entries(query)
      .map(([name, value]) => `${encodeWord(name)}=${encodeWord(value)}`)
      .join('&');
    return dispatcher.request({
      origin: request.origin ?? origin,
      path: search === '' ? request.path : `${request.path}?${search}`,
      method: request.method,
      headers: { ...headers },
      signal,
      ...(request.body === undefined
        ? {}
        : { body: request.body, headersTimeout: uploadTimeoutMs }),
    });
  };

  /** One attempt; what may go better a little later comes back as a failure and a pause. */
  const attempt = async <Answer>(
    request: ObjectRequest,
    { signal, accepts, file }: Expected,
    take: (answer: Dispatcher.ResponseData) => Answer | Promise<Answer>,
  ): Promise<{ answer: Answer } | { failure: RunFailure; again: boolean; after?: string }> => {
    try {
      const answer = await once(request, signal);
      if (accepts.includes(answer.statusCode)) return { answer: await take(answer) };
      const refusal = await textOf(answer, longestRefusal);
      const after = refusal.header('retry-after');
      return {
        failure: refusalFailure(words, { status: refusal.status, code: codeOf(refusal) }, file),
        again: isPassing(refusal.status),
        ...(after === undefined ? {} : { after }),
      };
    } catch (error) {
      signal.throwIfAborted();
      const failure = transportFailure(error, words);
      return {
        failure,
        again: failure.failure.reason === 'connection_lost' && !(error instanceof RunFailure),
      };
    }
  };

  const repeat = async <Answer>(
    request: ObjectRequest,
    expected: Expected,
    take: (answer: Dispatcher.ResponseData) => Answer | Promise<Answer>,
  ): Promise<Answer> => {
    for (let number = 1; ; number++) {
      expected.signal.throwIfAborted();
      const came = await attempt(request, expected, take);
      if ('answer' in came) return came.answer;
      if (!came.again || number === attempts) throw came.failure;
      await wait(pauseBefore(number, came.after), undefined, { signal: expected.signal }).catch(
        () => undefined,
      );
    }
  };

  return {
    words,
    send: (request, expected) =>
      repeat(request, expected, (answer) => textOf(answer, longestAnswer)),
    open: (request, expected) =>
      repeat(request, expected, (answer) => ({
        ...headersOf(answer),
        body: answer.body as AsyncIterable<Buffer>,
      })),
  };
};
