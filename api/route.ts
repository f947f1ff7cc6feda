import type { Readable } from 'node:stream';
import type { Static, TObject, TSchema } from '@sinclair/typebox';
import type { ErrorCode } from '../core/errors.js';
import type { Permission } from '../core/permissions.js';
import type { PageRequest } from '../db/keyset.js';
import type { LiveContext, PlainContext, PublicContext, ScopedContext } from './context.js';
import type { Entity, Envelope } from './envelopes.js';
import type { KeysetSpec, PageOf, PageSpec } from './page.js';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';

/**
 * read: repositories outside a transaction. write: one transaction that also holds idempotency,
 * audit and events. live: awaits an activity, no transaction.
 */
export type Mode = 'read' | 'write' | 'live';

/** `json-lossless` keeps 63-bit integers as bigint; `raw` hands over the bytes unread. */
export type BodyKind = 'json' | 'json-lossless' | 'form-or-json' | 'raw';

type Fields = Readonly<Record<string, TSchema>>;

/** `{id}` and `{nodeId}` of `/api/pipelines/{id}/nodes/{nodeId}`. */
type Placeholders<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholders<Rest>
  : never;
type ParamsOf<Path extends string> = { readonly [Name in Placeholders<Path>]: TSchema };

type ValuesOf<F> = F extends Record<string, TSchema> ? Static<TObject<F>> : undefined;
type ValueOf<S> = S extends TSchema ? Static<S> : undefined;

interface Input<Params, Query, Headers, Body, Kind, Env> {
  readonly params: Params;
  readonly query: Query;
  readonly headers: Headers;
  readonly body: Body;
  readonly raw: Kind extends 'raw' ? Buffer : undefined;
  readonly page: Env extends { kind: 'list' } ? PageRequest : undefined;
}

type ContextOf<M, Public, Stage> = (Public extends true ? PublicContext : ScopedContext) &
  (M extends 'live' ? LiveContext : Stage extends 'prepare' ? LiveContext : PlainContext);

type ItemOf<Env, Response> = Env extends { family: 'B' }
  ? Entity<ValueOf<Response>>
  : ValueOf<Response>;

type Value<Env, Response, Page> = Env extends { kind: 'list' }
  ? Page extends KeysetSpec
    ? PageOf<ItemOf<Env, Response>>
    : readonly ItemOf<Env, Response>[]
  : Env extends { kind: 'empty' }
    ? unknown
    : Env extends { kind: 'raw' }
      ? string | Buffer | Readable
      : Env extends { kind: 'bare' }
        ? ValueOf<Response>
        : ItemOf<Env, Response>;

/** What everything that walks the tables needs to know: data, nothing to call. */
export interface RouteFacts {
  readonly method: Method;
  readonly path: string;
  /** `projects.get`: operation id, metric label, audit action. */
  readonly name: string;
  readonly summary: string;
  readonly description?: string;
  readonly scope?: Permission;
  /** Needs no token: the token exchange and the ingress of providers. */
  readonly public?: boolean;
  readonly mode: Mode;
  readonly envelope: Envelope;
  readonly status?: 200 | 201 | 202 | 204;
  readonly page?: PageSpec;
  readonly params?: Fields;
  readonly query?: Fields;
  /** Lower-case names of the request headers that the handler reads. */
  readonly headers?: Fields;
  readonly body?: TSchema;
  readonly bodyKind?: BodyKind;
  /** 1 MiB where nothing else is said. */
  readonly maxBodyBytes?: number;
  readonly response?: TSchema;
  /** A POST that creates or starts something, and so accepts an Idempotency-Key. */
  readonly creates?: boolean;
  /** Errors of the handler's own; those of the framework are known. */
  readonly errors?: readonly ErrorCode[];
  /** Not in the interface specification: ours. */
  readonly extension?: boolean;
  /** Errors in the OAuth shape instead of the family's. */
  readonly oauthErrors?: boolean;
}

/** A row of a table once its types have done their work. */
export interface Route extends RouteFacts {
  etag?(value: unknown): string;
  prepare?(input: AnyInput, context: AnyContext): Promise<unknown>;
  handler(input: AnyInput, context: AnyContext, facts: unknown): unknown;
}

export interface AnyInput {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>> | undefined;
  readonly headers: Readonly<Record<string, unknown>> | undefined;
  readonly body: unknown;
  readonly raw: Buffer | undefined;
  readonly page: PageRequest | undefined;
}

type AnyContext = ScopedContext & LiveContext;

export interface RouteTable {
  /** The heading of these routes in the documentation. */
  readonly tag: string;
  readonly description?: string;
  readonly routes: readonly Route[];
}

export interface Definition<
  Path extends string,
  M extends Mode,
  Public extends boolean | undefined,
  Params extends Fields,
  Query extends Fields | undefined,
  Headers extends Fields | undefined,
  Body extends TSchema | undefined,
  Kind extends BodyKind,
  Env extends Envelope,
  Response extends TSchema | undefined,
  Page extends PageSpec | undefined,
  Facts,
> {
  readonly path: Path;
  readonly mode: M;
  readonly public?: Public;
  readonly params?: Params;
  readonly query?: Query;
  readonly headers?: Headers;
  readonly body?: Body;
  readonly bodyKind?: Kind;
  readonly envelope: Env;
  readonly response?: Response;
  readonly page?: Page;
  /** A tag for what GET shows; sent as ETag, and compared with If-None-Match. */
  etag?(value: Value<Env, Response, Page>): string;
  /**
   * Runs before the transaction and may await live calls and guarded HTTP. The handler gets what it
   * found and checks again what that depended on.
   */
  prepare?(
    input: Input<ValuesOf<Params>, ValuesOf<Query>, ValuesOf<Headers>, ValueOf<Body>, Kind, Env>,
    context: ContextOf<M, Public, 'prepare'>,
  ): Promise<Facts>;
  handler(
    input: Input<ValuesOf<Params>, ValuesOf<Query>, ValuesOf<Headers>, ValueOf<Body>, Kind, Env>,
    context: ContextOf<M, Public, 'handler'>,
    facts: Facts,
  ): Answer<Value<Env, Response, Page>> | Promise<Answer<Value<Env, Response, Page>>>;
}

type Plain = Omit<
  RouteFacts,
  | 'path'
  | 'mode'
  | 'public'
  | 'params'
  | 'query'
  | 'headers'
  | 'body'
  | 'bodyKind'
  | 'envelope'
  | 'response'
  | 'page'
>;

/** A route: data, and a handler whose types follow from it. */
export const route = <
  const Path extends string,
  const M extends Mode,
  const Env extends Envelope,
  Params extends ParamsOf<Path> = ParamsOf<Path>,
  Query extends Fields | undefined = undefined,
  Headers extends Fields | undefined = undefined,
  Body extends TSchema | undefined = undefined,
  const Kind extends BodyKind = 'json',
  Response extends TSchema | undefined = undefined,
  const Page extends PageSpec | undefined = undefined,
  const Public extends boolean | undefined = undefined,
  Facts = undefined,
>(
  definition: Plain &
    Definition<Path, M, Public, Params, Query, Headers, Body, Kind, Env, Response, Page, Facts>,
): Route => definition as Route;

/** An answer whose status or headers are not the route's usual ones. */
export class Reply<Value> {
  constructor(
    readonly value: Value,
    readonly options: { status?: number; headers?: Readonly<Record<string, string>> },
  ) {}
}

type Answer<Value> = Value | Reply<Value>;

export const reply = <Value>(
  value: Value,
  options: { status?: number; headers?: Readonly<Record<string, string>> },
): Reply<Value> => new Reply(value, options);
