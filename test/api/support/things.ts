import { Readable } from 'node:stream';
import { Type } from '@sinclair/typebox';
import { AppError, errorCodes } from '../../../core/errors.js';
import type { ErrorCode } from '../../../core/errors.js';
import { reply, route } from '../../../api/route.js';
import type { RouteTable } from '../../../api/route.js';
import { id } from '../../../api/schemas/id.js';
import { anyObject, long, nullable, open } from '../../../api/schemas/objects.js';
import { description, name, oneOf, search } from '../../../api/schemas/text.js';
import { timestampInput } from '../../../api/schemas/timestamp.js';
import { fakeRepos } from './fakePorts.js';

/** A table of no use but to have one route of every sort. */
const thing = Type.Object({ id, name }, { title: 'Thing' });
const colour = oneOf(['red', 'green']);
const codes = Object.keys(errorCodes) as ErrorCode[];

async function* halfAnExport(): AsyncGenerator<string> {
  yield 'a,b\n'.repeat(50_000);
  await Promise.resolve();
  throw new Error('the source is gone');
}

const things: RouteTable = {
  tag: 'Things',
  description: 'Family A.',
  routes: [
    route({
      method: 'GET',
      path: '/api/things/{id}',
      name: 'things.get',
      summary: 'One thing',
      scope: 'projects:read',
      mode: 'read',
      envelope: { family: 'A', kind: 'one' },
      params: { id },
      response: thing,
      etag: (value) => `"${value.name}"`,
      handler: ({ params }, ctx) => {
        const found = fakeRepos(ctx.repos)
          .things.all()
          .find((one) => one.id === params.id);
        if (!found) throw new AppError('not_found', 'No such thing.');
        return found;
      },
    }),
    route({
      method: 'GET',
      path: '/api/things',
      name: 'things.list',
      summary: 'Things',
      scope: 'projects:read',
      mode: 'read',
      envelope: { family: 'A', kind: 'list', meta: 'cursor' },
      page: { kind: 'keyset', default: 2 },
      query: {
        search: Type.Optional(search),
        enabled: Type.Optional(Type.Boolean()),
        size: Type.Optional(Type.Integer({ minimum: 1 })),
        colour: Type.Optional(colour),
        tag: Type.Optional(Type.Array(Type.String())),
        since: Type.Optional(timestampInput),
      },
      response: Type.Object({ id, name }),
      handler: ({ page }, ctx) => {
        const all = [...fakeRepos(ctx.repos).things.all()].sort((a, b) => (a.id < b.id ? 1 : -1));
        const from = all.filter((one) => page.after === undefined || one.id < page.after);
        const items = from.slice(0, page.limit);
        return { items, next: from.length > page.limit ? (items.at(-1)?.id ?? null) : null };
      },
    }),
    route({
      method: 'GET',
      path: '/api/things/echo',
      name: 'things.echo',
      summary: 'What came through the query',
      scope: 'projects:read',
      mode: 'read',
      envelope: { family: 'A', kind: 'one' },
      query: {
        enabled: Type.Optional(Type.Boolean()),
        size: Type.Optional(Type.Integer()),
        tag: Type.Optional(Type.Array(Type.String())),
      },
      headers: { 'if-match': Type.Optional(Type.String({ maxLength: 10 })) },
      response: anyObject,
      handler: ({ query, headers }) => ({ ...query, ...headers }),
    }),
    route({
      method: 'POST',
      path: '/api/things',
      name: 'things.create',
      summary: 'Make a thing',
      scope: 'projects:write',
      mode: 'write',
      creates: true,
      envelope: { family: 'A', kind: 'one' },
      body: Type.Object({
        name,
        description: Type.Optional(nullable(description)),
        colour: Type.Optional(colour),
        size: Type.Optional(nullable(Type.Integer({ minimum: 0 }))),
        config: Type.Optional(anyObject),
        parts: Type.Optional(Type.Array(open({ id: Type.String() }))),
      }),
      response: thing,
      errors: ['duplicate'],
      handler: ({ body }, ctx) => {
        const repos = fakeRepos(ctx.repos);
        if (repos.things.all().some((one) => one.name === body.name)) {
          throw new AppError('duplicate', 'The name is taken.', { references: [body.name] });
        }
        repos.touch(`job-of-${body.name}`);
        return repos.things.add(body.name);
      },
    }),
    route({
      method: 'POST',
      path: '/api/things/slow',
      name: 'things.slow',
      summary: 'A thing that takes until its gate opens',
      scope: 'projects:write',
      mode: 'write',
      creates: true,
      status: 201,
      envelope: { family: 'C', kind: 'one' },
      body: Type.Object({ name }),
      response: Type.Object({ id, name, prepared: Type.String() }),
      prepare: async ({ body }, ctx) => {
        const question = { nodes: body.name, edges: '' };
        const { issues } = await ctx.live(ctx.scope, 'bindGraph', question, ctx.signal);
        return { prepared: issues[0]?.message ?? '' };
      },
      handler: ({ body }, ctx, { prepared }) =>
        reply(
          { ...fakeRepos(ctx.repos).things.add(body.name), prepared },
          { headers: { Location: '/x' } },
        ),
    }),
    route({
      method: 'DELETE',
      path: '/api/things/{id}',
      name: 'things.delete',
      summary: 'Refused, always, as somebody says',
      scope: 'projects:write',
      mode: 'write',
      envelope: { family: 'C', kind: 'empty' },
      params: { id },
      query: { code: Type.Optional(oneOf(codes)) },
      handler: ({ query }) => {
        if (query.code) {
          throw new AppError(query.code, 'As asked.', { retryAfterSeconds: 7, hint: 'shown' });
        }
        return undefined;
      },
    }),
    route({
      method: 'POST',
      path: '/api/things/crash',
      name: 'things.crash',
      summary: 'A defect',
      scope: 'projects:write',
      mode: 'write',
      envelope: { family: 'A', kind: 'one' },
      response: thing,
      handler: () => {
        throw new Error('password=hunter2 select * from secrets');
      },
    }),
    route({
      method: 'GET',
      path: '/api/things/wrong',
      name: 'things.wrong',
      summary: 'An answer with a field too many',
      scope: 'projects:read',
      mode: 'read',
      envelope: { family: 'A', kind: 'one' },
      response: Type.Object({ name: Type.String() }),
      handler: () => ({ name: 'x', secret: 'y' }),
    }),
    route({
      method: 'GET',
      path: '/api/things/export',
      name: 'things.export',
      summary: 'A stream',
      scope: 'projects:read',
      mode: 'read',
      envelope: { family: 'C', kind: 'raw', contentType: 'text/csv' },
      handler: () =>
        reply(Readable.from(['a,b\n', '1,2\n']), {
          headers: { 'Content-Disposition': 'attachment; filename="things.csv"' },
        }),
    }),
    route({
      method: 'GET',
      path: '/api/things/broken-export',
      name: 'things.brokenExport',
      summary: 'A stream that breaks in the middle',
      scope: 'projects:read',
      mode: 'read',
      envelope: { family: 'C', kind: 'raw', contentType: 'text/csv' },
      handler: () => Readable.from(halfAnExport()),
    }),
    route({
      method: 'GET',
      path: '/api/names/{name}',
      name: 'names.get',
      summary: 'A path parameter that is a text',
      scope: 'variables:read',
      mode: 'read',
      envelope: { family: 'A', kind: 'one' },
      params: { name: Type.String({ maxLength: 20 }) },
      response: Type.Object({ name: Type.String() }),
      handler: ({ params }) => ({ name: params.name }),
    }),
    route({
      method: 'GET',
      path: '/api/labels',
      name: 'labels.list',
      summary: 'Everything at once',
      scope: 'projects:read',
      mode: 'read',
      envelope: { family: 'A', kind: 'list', meta: 'total' },
      page: { kind: 'all', key: 'label' },
      response: Type.Object({ label: Type.String() }),
      handler: () => Array.from({ length: 120 }, (_, at) => ({ label: `l${at}` })),
    }),
  ],
};

const dressed: RouteTable = {
  tag: 'Dressed',
  routes: [
    route({
      method: 'GET',
      path: '/api/gadgets',
      name: 'gadgets.list',
      summary: 'Family B, a list',
      scope: 'streams:read',
      mode: 'read',
      envelope: { family: 'B', kind: 'list', type: 'gadget' },
      page: { kind: 'keyset' },
      response: Type.Object({ size: Type.Integer() }),
      handler: () => ({ items: [{ id: 'g1', attributes: { size: 1 } }], next: null }),
    }),
    route({
      method: 'POST',
      path: '/api/gadgets/{id}/start',
      name: 'gadgets.start',
      summary: 'Family B, one; its body may be absent',
      scope: 'streams:run',
      mode: 'write',
      envelope: { family: 'B', kind: 'one', type: 'gadget' },
      params: { id },
      body: Type.Object({ fast: Type.Optional(Type.Boolean()) }),
      response: Type.Object({ fast: Type.Boolean() }),
      handler: ({ params, body }) => ({ id: params.id, attributes: { fast: body.fast ?? false } }),
    }),
    route({
      method: 'GET',
      path: '/api/widgets',
      name: 'widgets.list',
      summary: 'Family C, a list of everything',
      scope: 'contracts:read',
      mode: 'read',
      envelope: { family: 'C', kind: 'list' },
      page: { kind: 'all' },
      response: Type.Object({ id: Type.String() }),
      handler: () => [{ id: 'w1' }, { id: 'w2' }, { id: 'w3' }],
    }),
    route({
      method: 'GET',
      path: '/api/paged-widgets',
      name: 'widgets.paged',
      summary: 'Family C, a list with pages',
      scope: 'contracts:read',
      mode: 'read',
      envelope: { family: 'C', kind: 'list', meta: 'page' },
      page: { kind: 'keyset', position: 'text' },
      response: Type.Object({ id: Type.String() }),
      handler: () => ({ items: [{ id: 'w1' }], next: 'w1' }),
    }),
    route({
      method: 'POST',
      path: '/api/probe',
      name: 'probe.run',
      summary: 'A live call',
      scope: 'connections:run',
      mode: 'live',
      envelope: { family: 'C', kind: 'one' },
      response: anyObject,
      errors: ['connection_failed'],
      handler: async (_input, ctx) =>
        ctx.live(ctx.scope, 'bindGraph', { nodes: '', edges: '' }, ctx.signal),
    }),
    route({
      method: 'POST',
      path: '/api/hooks/{hook}',
      name: 'hooks.receive',
      summary: 'An ingress',
      public: true,
      mode: 'write',
      envelope: { family: 'B', kind: 'bare' },
      bodyKind: 'raw',
      params: { hook: Type.String({ maxLength: 50 }) },
      maxBodyBytes: 2 * 1024 * 1024,
      response: Type.Object({ received: Type.Integer() }),
      handler: ({ raw }) => ({ received: raw.length }),
    }),
    route({
      method: 'POST',
      path: '/v1/longs',
      name: 'longs.echo',
      summary: 'Catalog: lossless and tolerant',
      scope: 'catalog:write',
      mode: 'read',
      envelope: { family: 'iceberg', kind: 'one' },
      bodyKind: 'json-lossless',
      query: { known: Type.Optional(Type.String()) },
      body: Type.Object({ snapshot: long, rest: Type.Optional(anyObject) }),
      response: anyObject,
      handler: ({ body, query }) => ({ ...body, ...query }),
    }),
    route({
      method: 'GET',
      path: '/v1/tables/{table}',
      name: 'tables.get',
      summary: 'Catalog: its own words for what is missing',
      scope: 'catalog:read',
      mode: 'read',
      envelope: { family: 'iceberg', kind: 'one' },
      params: { table: Type.String() },
      response: anyObject,
      handler: ({ params }) => {
        throw new AppError('not_found', `No ${params.table}.`, {
          icebergType: 'NoSuchTableException',
        });
      },
    }),
    route({
      method: 'POST',
      path: '/v1/oauth/tokens',
      name: 'oauth.token',
      summary: 'OAuth',
      public: true,
      mode: 'read',
      oauthErrors: true,
      envelope: { family: 'iceberg', kind: 'one' },
      bodyKind: 'form-or-json',
      body: Type.Object({
        grant_type: Type.Literal('client_credentials'),
        client_id: Type.String(),
      }),
      response: anyObject,
      handler: ({ body }) => ({ id: body.client_id }),
    }),
  ],
};

export const thingTables: readonly RouteTable[] = [things, dressed];
