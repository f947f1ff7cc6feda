import { openApiDocument } from '../../api/openapi/document.js';
import { route } from '../../api/route.js';
import type { RouteTable } from '../../api/route.js';
import { tables } from '../../api/routes/index.js';
import { Type } from '@sinclair/typebox';
import { findDocumentProblems } from './support/document.js';
import type { Document } from './support/document.js';
import { thingTables } from './support/things.js';

const documentOf = (some: readonly RouteTable[], basePrefix = ''): Document =>
  JSON.parse(JSON.stringify(openApiDocument(some, { version: '1.2.3', basePrefix }))) as Document;

const things = documentOf(thingTables);
const operation = (method: string, path: string) => {
  const found = things.paths[path]?.[method];
  if (!found) throw new Error(`${method} ${path} is not documented`);
  return found;
};

test.each([
  ['the throw-away tables', thingTables],
  ['the real tables', tables],
])('%s make a sound document with every route in it', (_name, some) => {
  const document = documentOf(some);
  expect(findDocumentProblems(document)).toEqual([]);
  const documented = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  );
  const named = some.flatMap(({ routes }) => routes.map(({ name }) => name));
  expect(documented.sort()).toEqual(named.sort());
});

test('a problem in a document would be found', () => {
  const broken = documentOf(thingTables);
  const echo = broken.paths['/api/things/echo']?.['get'];
  Object.assign(echo ?? {}, {
    operationId: 'things.list',
    tags: [],
    responses: { 200: { $ref: '#/x' } },
  });
  expect(findDocumentProblems(broken)).toEqual([
    '#/x leads nowhere',
    'things.list: its id is there twice',
    'things.list: it has no tag',
  ]);
});

test('titled schemas are published once, requests closed and bounded', () => {
  expect(operation('get', '/api/things/{id}').responses['200']?.content).toEqual({
    'application/json': { schema: { $ref: '#/components/schemas/Thing' } },
  });
  const body = operation('post', '/api/things').requestBody?.content['application/json']?.schema;
  expect(body).toMatchObject({ additionalProperties: false, required: ['name'] });
  const list = operation('get', '/api/things').parameters.find(({ name }) => name === 'tag');
  expect(list?.schema).toMatchObject({ maxItems: 10_000, items: { maxLength: 10_000 } });
});

test('envelopes, pages, keys and scopes are described', () => {
  expect(
    operation('get', '/api/gadgets').responses['200']?.content?.['application/json']?.schema,
  ).toMatchObject({
    properties: {
      data: {
        items: { properties: { type: { const: 'gadget' }, attributes: { type: 'object' } } },
      },
      meta: { properties: { page: { required: ['limit', 'cursor'] } } },
    },
  });
  const parameters = (method: string, path: string) =>
    operation(method, path).parameters.map(({ name }) => name);
  expect(parameters('get', '/api/gadgets')).toEqual(['limit', 'cursor']);
  expect(parameters('post', '/api/things')).toContain('Idempotency-Key');
  expect(operation('get', '/api/gadgets')).toMatchObject({
    security: [{ bearer: ['streams:read'] }],
  });
  expect(operation('post', '/api/hooks/{hook}')).toMatchObject({ security: [] });
  expect(
    operation('post', '/v1/longs').requestBody?.content['application/json']?.schema,
  ).toMatchObject({
    properties: { snapshot: { type: 'integer', format: 'int64' } },
  });
});

test('every error is declared, in the shape of its family', () => {
  const { responses } = operation('post', '/api/things');
  expect(Object.keys(responses)).toEqual([
    '200',
    '400',
    '401',
    '403',
    '409',
    '413',
    '415',
    '422',
    '500',
    '503',
  ]);
  expect(responses['409']).toMatchObject({
    description: '`idempotency_in_progress`, `duplicate`',
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
  });
  expect(operation('get', '/v1/tables/{table}').responses['404']).toMatchObject({
    content: { 'application/json': { schema: { $ref: '#/components/schemas/IcebergError' } } },
  });
  expect(operation('post', '/v1/oauth/tokens').responses['400']).toMatchObject({
    content: { 'application/json': { schema: { $ref: '#/components/schemas/OAuthError' } } },
  });
});

test('two different schemas of one title are a mistake', () => {
  const twin = (name: string, response: ReturnType<typeof Type.Object>): RouteTable => ({
    tag: name,
    routes: [
      route({
        method: 'GET',
        path: `/api/${name}`,
        name,
        summary: name,
        scope: 'projects:read',
        mode: 'read',
        envelope: { family: 'A', kind: 'one' },
        response,
        handler: () => ({}),
      }),
    ],
  });
  const one = twin('a', Type.Object({}, { title: 'Same' }));
  const other = twin('b', Type.Object({ x: Type.Optional(Type.String()) }, { title: 'Same' }));
  expect(() => documentOf([one, other])).toThrow('titled Same');
});
