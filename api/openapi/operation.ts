import type { TSchema } from '@sinclair/typebox';
import { OptionalKind } from '@sinclair/typebox';
import { errorsByStatus } from '../errorsDeclared.js';
import { errorShapeOf } from '../family.js';
import type { ErrorShape } from '../family.js';
import type { RouteFacts } from '../route.js';
import { bodySchema, paramNames, tolerates } from '../routeSchemas.js';
import type { JsonSchema } from '../shape.js';
import type { Components } from './components.js';
import { errorResponse, errorSchemas } from './errorResponses.js';
import { dressedSchema } from './responses.js';

const parameter = (
  place: 'path' | 'query' | 'header',
  name: string,
  schema: JsonSchema,
  required: boolean,
) => {
  const { description, ...rest } = schema;
  return {
    name,
    in: place,
    required,
    ...(typeof description === 'string' ? { description } : {}),
    schema: rest,
  };
};

const pageParameters = ({ page }: RouteFacts) => {
  if (!page) return [];
  const unpaged =
    page.kind === 'all' ? 'Without limit and cursor everything is listed, up to 10,000. ' : '';
  const usual = page.kind === 'keyset' ? { default: page.default ?? 50 } : {};
  const limit = {
    ...usual,
    type: 'integer',
    minimum: 1,
    description: `${unpaged}More than 100 counts as 100.`,
  };
  const cursor = {
    type: 'string',
    description: 'From the page before; valid for the same list and filters only.',
  };
  return [parameter('query', 'limit', limit, false), parameter('query', 'cursor', cursor, false)];
};

const idempotencyKey = parameter(
  'header',
  'Idempotency-Key',
  {
    type: 'string',
    maxLength: 255,
    description:
      'Makes a repeat safe for 24 hours: the same key and request get the same answer again.',
  },
  false,
);

const declared = (
  place: 'query' | 'header',
  fields: Readonly<Record<string, TSchema>> | undefined,
  components: Components,
) =>
  Object.entries(fields ?? {}).map(([name, schema]) =>
    parameter(
      place,
      name,
      components.request(schema, { closeObjects: false, bounded: true }),
      !(OptionalKind in schema),
    ),
  );

const parametersOf = (route: RouteFacts, components: Components) => [
  ...paramNames(route.path).map((name) => {
    const schema = route.params?.[name] ?? {};
    return parameter('path', name, components.response(schema), true);
  }),
  ...declared('query', route.query, components),
  ...pageParameters(route),
  ...declared('header', route.headers, components),
  ...(route.creates ? [idempotencyKey] : []),
];

const isOptional = (schema: JsonSchema): boolean =>
  schema['type'] === 'object' && ((schema['required'] as unknown[] | undefined) ?? []).length === 0;

const bodyOf = (route: RouteFacts, components: Components) => {
  if (route.bodyKind === 'raw') return { requestBody: { content: { '*/*': { schema: {} } } } };
  if (!route.body) return {};
  const strict = !tolerates(route);
  const schema = components.request(route.body, { closeObjects: strict, bounded: strict });
  const content = {
    'application/json': { schema },
    ...(route.bodyKind === 'form-or-json'
      ? { 'application/x-www-form-urlencoded': { schema } }
      : {}),
  };
  return { requestBody: { required: !isOptional(bodySchema(route)), content } };
};

const successOf = (route: RouteFacts, components: Components) => {
  const { envelope } = route;
  const status = route.status ?? (envelope.kind === 'empty' ? 204 : 200);
  const type = envelope.kind === 'raw' ? envelope.contentType : 'application/json';
  const schema =
    envelope.kind === 'raw'
      ? { type: 'string' }
      : dressedSchema(route, (inner) => components.response(inner));
  const content = envelope.kind === 'empty' ? {} : { content: { [type]: { schema } } };
  return { [status]: { description: route.summary, ...content } };
};

const errorsOf = (route: RouteFacts, components: Components) => {
  const shape: ErrorShape = route.oauthErrors ? 'oauth' : errorShapeOf(route.path, '');
  const schema = components.response(errorSchemas[shape]);
  return Object.fromEntries(
    [...errorsByStatus(route)].map(([status, codes]) => [
      String(status),
      errorResponse(status, codes, shape, schema),
    ]),
  );
};

/** One row of a table as an OpenAPI operation. */
export const operationOf = (route: RouteFacts, tag: string, components: Components) => ({
  operationId: route.name,
  tags: [tag],
  summary: route.summary,
  ...(route.description === undefined ? {} : { description: route.description }),
  security: route.scope ? [{ bearer: [route.scope] }] : [],
  parameters: parametersOf(route, components),
  ...bodyOf(route, components),
  responses: { ...successOf(route, components), ...errorsOf(route, components) },
  ...(route.extension ? { 'x-fluxline-extension': true } : {}),
});
