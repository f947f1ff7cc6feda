/** Requests to an API: authorized, no faster than allowed, repeated where that may help. */
import { pipeline } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { connectFailure } from '../../core/connecting.js';
import { RunFailure } from '../../core/failures.js';
import { transportReason } from '../httpDispatcher.js';
import type { Role } from '../manifest.js';
import { isPassing, leftAlone, refusalOf, tooLarge } from './answers.js';
import type { Answer, Asked } from './answers.js';
import type { Authorize } from './authorize.js';
import { askedPauseMs, makePace, pauseAfter } from './pauses.js';

/** Only what may be repeated without harm is asked through this: by its method, or its key. */
export interface ApiRequest extends Asked {
  headers?: Readonly<Record<string, string>>;
  body?: Buffer;
}

export interface SendOptions {
  signal: AbortSignal;
  /** Statuses that are answers to the one who asks; 2xx always are. */
  accepts?: (status: number, attempt: number) => boolean;
  /** Statuses that may pass, beside those that always may. */
  passing?: (status: number) => boolean;
  /** How often it is tried at most; somebody may be waiting. */
  attempts?: number;
}

export interface ApiClient {
  send(request: ApiRequest, options: SendOptions): Promise<Answer>;
}

export interface ClientDeps {
  dispatcher: Dispatcher;
  role: Role;
  headers: Readonly<Record<string, string>>;
  authorize: Authorize;
  rateLimit: number | undefined;
  /** For an answer from its beginning to its end. */
  answerMs: number;
}

const pause = async (ms: number, signal: AbortSignal): Promise<void> => {
  signal.throwIfAborted();
  if (ms > 0) await wait(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
};

const usualAttempts = 5;

/** Who asks for more patience than this is asked again when the split is. */
const longestAskedMs = 120_000;

export const mostAnswerBytes = 64 * 1024 * 1024;

const headersOf = (answer: Dispatcher.ResponseData) => (name: string) => {
  const value = answer.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
};

const bodyOf = async (asked: Asked, answer: Dispatcher.ResponseData): Promise<Buffer> => {
  const packed = /^(x-)?gzip$/i.test(headersOf(answer)('content-encoding') ?? '');
  // Whatever goes wrong on the way ends the iteration.
  const body = packed ? pipeline(answer.body, createGunzip(), () => undefined) : answer.body;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > mostAnswerBytes) throw tooLarge(asked, mostAnswerBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

export const makeApiClient = ({
  dispatcher,
  role,
  headers,
  authorize,
  rateLimit,
  answerMs,
}: ClientDeps): ApiClient => {
  const pace = makePace(rateLimit);

  const once = async (
    request: ApiRequest,
    shown: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Answer> => {
    const { method, url, body } = request;
    const answer = await dispatcher.request({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method,
      headers: {
        accept: 'application/json',
        'accept-encoding': 'gzip',
        'user-agent': 'fluxline',
        ...headers,
        ...request.headers,
        ...shown,
      },
      signal,
      ...(body === undefined ? {} : { body }),
    });
    const header = headersOf(answer);
    return { status: answer.statusCode, header, body: await bodyOf(request, answer) };
  };

  const lost = (error: unknown, { url }: Asked): RunFailure => {
    if (error instanceof RunFailure) return error;
    const timedOut = error instanceof Error && error.name === 'TimeoutError';
    const code = (error as { code?: unknown } | null)?.code;
    return connectFailure(timedOut ? 'connect_timeout' : transportReason(error), {
      role,
      where: url.host,
      ...(typeof code === 'string' ? { detail: `[${code}]` } : {}),
      cause: error,
    });
  };

  /** An answer, or what went wrong and may go better. */
  const attempt = async (
    request: ApiRequest,
    renew: boolean,
    signal: AbortSignal,
  ): Promise<Answer | RunFailure> => {
    await pause(pace(performance.now()), signal);
    const shown = await authorize.headers(signal, renew);
    const patience = AbortSignal.any([signal, AbortSignal.timeout(answerMs)]);
    try {
      return await once(request, shown, patience);
    } catch (error) {
      signal.throwIfAborted();
      const failure = lost(error, request);
      if (failure.failure.reason === 'connection_lost') return failure;
      throw failure;
    }
  };

  return {
    send: async (request, options) => {
      const { signal, accepts = () => false, passing = () => false } = options;
      const { attempts = usualAttempts } = options;
      let renew = false;
      for (let number = 1; ; number += 1) {
        signal.throwIfAborted();
        const came = await attempt(request, renew, signal);
        const failed = came instanceof RunFailure;
        if (
          !failed &&
          ((came.status >= 200 && came.status < 300) || accepts(came.status, number))
        ) {
          return came;
        }
        const mayPass = failed || isPassing(came.status) || passing(came.status);
        const failure = failed ? came : refusalOf(request, came, mayPass, role);
        // A token may have been withdrawn before its time.
        if (!failed && came.status === 401 && authorize.renews && !renew) {
          renew = true;
          continue;
        }
        renew = false;
        if (number === attempts || !mayPass) throw failure;
        const asked = failed ? undefined : askedPauseMs(came.header('retry-after'), Date.now());
        if (asked !== undefined && asked > longestAskedMs) {
          throw leftAlone(request, Math.ceil(asked / 1_000), role);
        }
        await pause(pauseAfter(number, asked, Math.random()), signal);
      }
    },
  };
};
