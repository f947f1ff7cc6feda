import { request } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';

export interface Call {
  method?: string;
  token?: string;
  headers?: Readonly<Record<string, string | string[]>>;
  /** Sent as JSON. */
  json?: unknown;
  /** Sent as it is, without a content type of its own. */
  body?: string | Buffer;
  /** Announces no length. */
  chunked?: boolean;
}

export interface Answered {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** The body as JSON, for looking into. */
  json: Json;
}

interface Json {
  readonly [key: string]: Json;
}

/** Answers are looked into by people who know what they hold; this says what is no text. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const parsed = (text: string): Json => {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return {};
  }
};

/** One request, exactly as described: no redirects, no headers of its own, no retries. */
export const call = (url: string, options: Call = {}): Promise<Answered> =>
  new Promise((resolve, reject) => {
    const payload = options.json === undefined ? options.body : JSON.stringify(options.json);
    const outgoing = request(url, {
      method: options.method ?? (payload === undefined ? 'GET' : 'POST'),
      agent: false,
      headers: {
        ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
        ...(options.json === undefined ? {} : { 'content-type': 'application/json' }),
        ...(payload === undefined || options.chunked
          ? {}
          : { 'content-length': Buffer.byteLength(payload) }),
        ...options.headers,
      },
    });
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const status = incoming.statusCode ?? 0;
        resolve({ status, headers: incoming.headers, text, json: parsed(text) });
      });
    });
    outgoing.end(payload);
  });
