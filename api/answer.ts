import type { Readable } from 'node:stream';
import { dressFor } from './envelopes.js';
import type { Entity } from './envelopes.js';
import { stringifyLossless } from './json.js';
import { cutPage } from './page.js';
import type { AskedPage, PageOf } from './page.js';
import { Reply } from './route.js';
import type { Route } from './route.js';
import { shape } from './shape.js';
import type { Checks } from './validate.js';

/** What goes over the wire. */
export interface WireAnswer {
  status: number;
  headers: Record<string, string>;
  body: string | Buffer | Readable | undefined;
}

export const jsonType = 'application/json; charset=utf-8';

/** Holds an answer against its schema, in tests: fields that nobody declared included. */
const makeResponseCheck = (route: Route, checks: Checks) => {
  if (!route.response) return () => undefined;
  const check = checks.exact(shape(route.response, { closeObjects: true, bounded: false }));
  const lossless = route.envelope.family === 'iceberg';
  return (value: unknown): void => {
    const shown = route.envelope.family === 'B' && route.envelope.kind !== 'bare';
    const judged = shown ? (value as Entity<unknown>).attributes : value;
    const errors = check(lossless ? judged : JSON.parse(JSON.stringify(judged)));
    if (!errors) return;
    const first = errors.map((error) => `${error.instancePath} ${error.message ?? ''}`).join('; ');
    throw new Error(`${route.name} answers what its schema does not say: ${first}`);
  };
};

/** From what a handler gives back to bytes, compiled once per route. */
export const makeAnswerer = (route: Route, checks: Checks, checkResponses: boolean) => {
  const { envelope } = route;
  const dress = dressFor(envelope);
  const usualStatus = route.status ?? (envelope.kind === 'empty' ? 204 : 200);
  const lossless = envelope.family === 'iceberg';
  const write = (value: unknown): string =>
    lossless ? stringifyLossless(value) : JSON.stringify(value);
  const check = checkResponses ? makeResponseCheck(route, checks) : undefined;
  const contentType = envelope.kind === 'raw' ? envelope.contentType : jsonType;

  const bodyOf = (value: unknown, page: AskedPage | undefined): WireAnswer['body'] => {
    if (envelope.kind === 'raw') return value as string | Buffer | Readable;
    if (page && route.page) {
      const cut = cutPage(value as PageOf<unknown> | readonly unknown[], route.page, page);
      if (check) cut.items.forEach(check);
      return write(dress.list(cut));
    }
    check?.(value);
    return write(dress.one(value));
  };

  return (given: unknown, page: AskedPage | undefined): WireAnswer => {
    const value: unknown = given instanceof Reply ? (given.value as unknown) : given;
    const options = given instanceof Reply ? given.options : {};
    const status = options.status ?? usualStatus;
    if (envelope.kind === 'empty' || status === 204 || status === 304) {
      return { status, headers: { ...options.headers }, body: undefined };
    }
    const headers: Record<string, string> = { 'Content-Type': contentType, ...options.headers };
    if (route.etag) headers['ETag'] = route.etag(value);
    return { status, headers, body: bodyOf(value, page) };
  };
};

export type Answerer = ReturnType<typeof makeAnswerer>;
