import type { IncomingMessage } from 'node:http';
import { AppError, notFound } from '../core/errors.js';
import type { Issue } from '../core/errors.js';
import { readBody } from './body.js';
import { toIssues } from './issues.js';
import { parseJson } from './json.js';
import { readPage } from './page.js';
import type { AskedPage, PageSubject } from './page.js';
import { gatherPairs, parsePairs } from './query.js';
import type { PairRules } from './query.js';
import type { AnyInput, Route } from './route.js';
import { bodySchema, headerSchema, paramNames, querySchema, tolerates } from './routeSchemas.js';
import type { JsonSchema } from './shape.js';
import { isUuid } from './validate.js';
import type { Checks } from './validate.js';
import { isStorable, pointerStep, unstorableMessage } from './wireText.js';

const usualBodyBytes = 1024 * 1024;
const bodyTimeoutMs = 30_000;
const mostIssues = 100;

export interface RawRequest {
  message: IncomingMessage;
  /** As they stand in the path, still percent-encoded, in the order of the placeholders. */
  captures: readonly string[];
  queryString: string;
}

export interface ReadInput {
  input: AnyInput;
  page: AskedPage | undefined;
  bytes: Buffer;
}

type Bytes = Buffer;
type Fields = Readonly<Record<string, unknown>>;
const nothing: Fields = Object.freeze({});

const wrong = (issues: readonly Issue[]): AppError =>
  new AppError(
    'validation_failed',
    issues.length === 1
      ? (issues[0] as Issue).message
      : `${issues.length} things in the request are not what this route accepts.`,
    { errors: issues.slice(0, mostIssues) },
  );

/** Ids that cannot exist name nothing: 404, as for one that does not. */
const makeParamsReader = (route: Route, checks: Checks) => {
  const params = paramNames(route.path).map((name) => {
    const schema = (route.params?.[name] ?? {}) as JsonSchema;
    return { name, uuid: schema['format'] === 'uuid', check: checks.exact(schema) };
  });
  const readText = (raw: string, name: string): string => {
    const pointer = pointerStep(name);
    let text: string;
    try {
      text = decodeURIComponent(raw);
    } catch {
      throw wrong([{ pointer, code: 'format', message: 'The percent-encoding is broken.' }]);
    }
    if (isStorable(text)) return text;
    throw wrong([{ pointer, code: 'text', message: unstorableMessage }]);
  };
  return (captures: readonly string[]): Record<string, string> => {
    const read: Record<string, string> = {};
    params.forEach(({ name, uuid, check }, at) => {
      const raw = captures[at] ?? '';
      const text = uuid ? raw : readText(raw, name);
      if (uuid ? !isUuid(text) : check(text)) throw notFound();
      read[name] = text;
    });
    return read;
  };
};

const makeQueryReader = (route: Route, checks: Checks) => {
  const schema = querySchema(route);
  const check = checks.coercing(schema);
  const names = new Map(
    Object.entries(schema['properties'] as Record<string, JsonSchema>).map(
      ([name, property]): [string, boolean] => [name, property['type'] === 'array'],
    ),
  );
  if (route.page) names.set('limit', false).set('cursor', false);
  const rules: PairRules = { names, tolerant: tolerates(route) };
  return (queryString: string, issues: Issue[]) => {
    const pairs = parsePairs(queryString);
    if (!pairs) {
      issues.push({ pointer: '', code: 'format', message: 'The query is wrongly encoded.' });
      return { query: nothing, page: undefined };
    }
    const { limit, cursor, ...rest } = gatherPairs(pairs, rules, issues) as Record<string, string>;
    const page = route.page && readPage(route.page, { limit, cursor }, issues);
    const query: Record<string, unknown> = route.page
      ? rest
      : {
          ...rest,
          ...(limit === undefined ? {} : { limit }),
          ...(cursor === undefined ? {} : { cursor }),
        };
    const errors = check(query);
    if (errors) issues.push(...toIssues(errors));
    return { query, page };
  };
};

const makeHeaderReader = (route: Route, checks: Checks) => {
  const names = Object.keys(route.headers ?? {});
  if (names.length === 0) return () => nothing;
  const check = checks.exact(headerSchema(route));
  return (message: IncomingMessage, issues: Issue[]): Fields => {
    const read: Record<string, unknown> = {};
    for (const name of names) {
      const value = message.headers[name];
      if (value !== undefined) read[name] = value;
    }
    const errors = check(read);
    if (errors) issues.push(...toIssues(errors));
    return read;
  };
};

const mediaType = (message: IncomingMessage) => {
  const [type = '', ...parameters] = (message.headers['content-type'] ?? '').split(';');
  const charset = parameters
    .map((parameter) => /^\s*charset\s*=\s*"?([^"\s]*)"?\s*$/i.exec(parameter)?.[1]?.toLowerCase())
    .find((value) => value !== undefined);
  return { type: type.trim().toLowerCase(), utf8: charset === undefined || charset === 'utf-8' };
};

const isJson = (type: string): boolean => /^application\/(?:[\w.-]+\+)?json$/.test(type);

const unsupported = (accepted: string): AppError =>
  new AppError('unsupported_media_type', `Send the body as ${accepted}, unencoded and in UTF-8.`);

const makeBodyReader = (route: Route, checks: Checks) => {
  const kind = route.bodyKind ?? 'json';
  const schema = bodySchema(route);
  const check = checks.exact(schema);
  const formRules: PairRules = {
    names: new Map(Object.keys(schema['properties'] ?? {}).map((name) => [name, false])),
    tolerant: tolerates(route),
  };
  const readForm = (bytes: Bytes, issues: Issue[]): unknown => {
    const pairs = parsePairs(bytes.toString('utf8'));
    if (!pairs) throw new AppError('malformed_body', 'The form is wrongly encoded.');
    return gatherPairs(pairs, formRules, issues);
  };
  const parse = (bytes: Bytes, message: IncomingMessage, issues: Issue[]): unknown => {
    const { type, utf8 } = mediaType(message);
    const plain = (message.headers['content-encoding'] ?? 'identity') === 'identity';
    const form = kind === 'form-or-json' && type === 'application/x-www-form-urlencoded';
    if (!plain || !utf8 || !(form || isJson(type))) {
      throw unsupported(
        kind === 'form-or-json' ? 'application/x-www-form-urlencoded or JSON' : 'application/json',
      );
    }
    return form
      ? readForm(bytes, issues)
      : parseJson(bytes, { lossless: kind === 'json-lossless' });
  };
  return (bytes: Bytes, message: IncomingMessage, issues: Issue[]): unknown => {
    if (kind === 'raw' || (!route.body && tolerates(route))) return undefined;
    // Where every field is optional, no body at all is an empty one, whatever its type.
    const body = bytes.length === 0 ? {} : parse(bytes, message, issues);
    const errors = check(body);
    if (errors) issues.push(...toIssues(errors));
    return route.body ? body : undefined;
  };
};

/** From the wire to what a handler's types promise, compiled once per route. */
export const makeInputReader = (route: Route, checks: Checks) => {
  const readParams = makeParamsReader(route, checks);
  const readQuery = makeQueryReader(route, checks);
  const readHeaders = makeHeaderReader(route, checks);
  const readBodyOf = makeBodyReader(route, checks);
  const limits = { maxBytes: route.maxBodyBytes ?? usualBodyBytes, timeoutMs: bodyTimeoutMs };

  return async (
    { message, captures, queryString }: RawRequest,
    workspaceId: string,
  ): Promise<ReadInput> => {
    const issues: Issue[] = [];
    const params = readParams(captures);
    const { query, page } = readQuery(queryString, issues);
    const headers = readHeaders(message, issues);
    const bytes = await readBody(message, limits);
    const body = readBodyOf(bytes, message, issues);
    if (issues.length > 0) throw wrong(issues);
    const subject: PageSubject = { route: route.name, workspaceId, filter: [params, query] };
    const asked = page?.(subject);
    const input: AnyInput = {
      params,
      query: route.query && query,
      headers: route.headers && headers,
      body,
      raw: route.bodyKind === 'raw' ? bytes : undefined,
      page: asked?.request,
    };
    return { input, page: asked, bytes };
  };
};
