import fc from 'fast-check';
import type { Route } from '../../../../api/route.js';
import { bodySchema, paramNames, querySchema } from '../../../../api/routeSchemas.js';
import type { JsonSchema } from '../../../../api/shape.js';
import { idMark, valueOf } from './values.js';

/** One request to be, with ids still to be filled in. */
export interface Draft {
  params: Readonly<Record<string, unknown>>;
  query: Readonly<Record<string, unknown>>;
  /** Undefined where nothing is sent. */
  body: unknown;
  spoil: Spoil | undefined;
}

/** How a request that might have worked is made one that should not. */
export interface Spoil {
  how: (typeof spoils)[number];
  /** Chooses among fields, texts and so on. */
  pick: number;
}

const spoils = [
  'drop a field',
  'change a type',
  'add a field',
  'hostile text',
  'deep nesting',
  'broken JSON',
  'wrong media type',
  'unknown parameter',
  'garbage cursor',
  'malformed id',
  'hostile path',
] as const;

/** Three of four requests are as the schema wants them: what lies behind it is to be reached. */
const spoiled = fc.option(fc.record({ how: fc.constantFrom(...spoils), pick: fc.nat(1_000) }), {
  freq: 3,
  nil: undefined,
});

/** The collection that a path parameter chooses from: the path in front of it. */
const collectionOf = (path: string, param: string): string =>
  path.slice(0, path.indexOf(`/{${param}}`));

const params = (route: Route): fc.Arbitrary<Readonly<Record<string, unknown>>> =>
  fc.record(
    Object.fromEntries(
      paramNames(route.path).map((name) => {
        const schema = (route.params?.[name] ?? {}) as JsonSchema;
        const known = fc.nat(1_000).map((at) => idMark(collectionOf(route.path, name), at));
        return [name, schema['format'] === 'uuid' ? known : fc.oneof(known, valueOf(schema, name))];
      }),
    ),
  );

/** Drafts of one route; a body of its own for a schema that says less than the handler wants. */
export const draftsOf = (
  route: Route,
  bodies: fc.Arbitrary<unknown> | undefined,
  queries: fc.Arbitrary<object> | undefined,
): fc.Arbitrary<Draft> => {
  const raw = fc.uint8Array({ maxLength: 50 }).map((bytes) => Buffer.from(bytes));
  const body = route.bodyKind === 'raw' ? raw : valueOf(bodySchema(route), '');
  const limit = route.page
    ? fc.option(fc.integer({ min: 1, max: 200 }), { nil: undefined })
    : undefined;
  return fc.record({
    params: params(route),
    query: fc
      .tuple(queries ?? valueOf(querySchema(route), ''), limit ?? fc.constant(undefined))
      .map(([fields, size]) => ({
        ...(fields as object),
        ...(size === undefined ? {} : { limit: size }),
      })),
    body: route.body || route.bodyKind === 'raw' ? (bodies ?? body) : fc.constant(undefined),
    spoil: spoiled,
  });
};
