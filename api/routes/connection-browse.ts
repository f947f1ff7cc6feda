import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import type { PageWanted } from '../../core/browse.js';
import type { LiveContext, ScopedContext } from '../context.js';
import { route } from '../route.js';
import type { RouteTable } from '../route.js';
import {
  found,
  requireCapability,
  targetByReference,
  targetInPath,
} from '../schemas/connection.js';
import type { Target } from '../schemas/connection.js';
import { id } from '../schemas/id.js';
import { askErrors } from '../schemas/liveErrors.js';
import { nullable } from '../schemas/objects.js';
import { placeCursor, readPlace, writePlace } from '../schemas/placeCursor.js';
import { oneOf, search } from '../schemas/text.js';

type Context = ScopedContext & LiveContext;

/** What a system calls things; it says itself which of them are too long. */
const systemName = Type.String({ minLength: 1, maxLength: 1_024 });

const mostNames = 10_000;

const tablesQuery = {
  schema: Type.Optional(systemName),
  search: Type.Optional(search),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: `How many at once; ${mostNames} at the most, and where nothing is said.`,
    }),
  ),
  cursor: Type.Optional(placeCursor),
};

const tables = Type.Object({
  connectionId: id,
  schema: nullable(Type.String()),
  tables: Type.Array(
    Type.Object({
      name: Type.String(),
      type: oneOf(['TABLE', 'VIEW']),
      comment: nullable(Type.String()),
    }),
  ),
  nextCursor: nullable(Type.String()),
});

const columnsQuery = { schema: Type.Optional(systemName), table: systemName };

const columns = Type.Object({
  connectionId: id,
  schema: nullable(Type.String()),
  table: Type.String(),
  columns: Type.Array(
    Type.Object({
      name: Type.String(),
      type: Type.String({ description: 'As the system calls it' }),
      nullable: Type.Boolean(),
      key: nullable(Type.Integer({ description: 'Place in the primary key, from 1' })),
      comment: nullable(Type.String()),
    }),
  ),
});

interface TablesQuery {
  schema?: string;
  search?: string;
  limit?: number;
  cursor?: string;
}

const tablesOf = async (
  target: Target,
  { schema, search: part, limit = mostNames, cursor }: TablesQuery,
  { live, scope, signal }: Context,
): Promise<Static<typeof tables>> => {
  requireCapability(target, 'tables');
  const question = ['tables', target.id, schema, part];
  const page: PageWanted = {
    limit: Math.min(limit, mostNames),
    ...(part === undefined ? {} : { search: part }),
    ...(cursor === undefined ? {} : { after: readPlace(question, cursor) }),
  };
  const asked = { connectionId: target.id, page, ...(schema === undefined ? {} : { schema }) };
  const answer = found(await live(scope, 'listTables', asked, signal));
  return {
    connectionId: target.id,
    schema: answer.schema,
    tables: answer.items.map(({ name, type, comment }) => ({ name, type, comment })),
    nextCursor: writePlace(question, answer.next),
  };
};

const columnsOf = async (
  target: Target,
  { schema, table }: { schema?: string; table: string },
  { live, scope, signal }: Context,
): Promise<Static<typeof columns>> => {
  requireCapability(target, 'tables');
  const asked = { connectionId: target.id, table, ...(schema === undefined ? {} : { schema }) };
  const answer = found(await live(scope, 'listColumns', asked, signal));
  return {
    connectionId: target.id,
    schema: answer.schema,
    table,
    columns: answer.columns.map(({ name, type, nullable: may, key, comment }) => ({
      name,
      type,
      nullable: may,
      key,
      comment,
    })),
  };
};

const named = Type.Object({ name: Type.String() });

/** Names are the positions of a page; without a limit all come at once, up to a cap. */
const namePages = { kind: 'keyset', default: mostNames, position: 'text' } as const;

const catalogs = Type.Object({
  connectionId: id,
  catalogs: Type.Array(Type.Object({ name: Type.String(), schemas: Type.Array(Type.String()) })),
});

const pageOf = (
  { limit, after }: { limit: number; after?: string },
  part?: string,
): PageWanted => ({
  limit,
  ...(after === undefined ? {} : { after }),
  ...(part === undefined ? {} : { search: part }),
});

/** One page of what a system has at the top, by name alone. */
const namesOf = async (
  kind: 'schemas' | 'catalogs',
  target: Target,
  page: PageWanted,
  { live, scope, signal }: Context,
) => {
  requireCapability(target, kind);
  const call = kind === 'schemas' ? 'listSchemas' : 'listCatalogs';
  const { items, next } = await live(scope, call, { connectionId: target.id, page }, signal);
  return { items: items.map(({ name }) => ({ name })), next };
};

export const connectionBrowse: RouteTable = {
  tag: 'Connections',
  routes: [
    route({
      method: 'GET',
      path: '/api/connections/{id}/tables',
      name: 'connections.tables',
      summary: 'Tables and views of a schema; of the connection’s default one where none is named',
      scope: 'connections:read',
      mode: 'live',
      envelope: { family: 'A', kind: 'one' },
      params: { id },
      query: tablesQuery,
      response: tables,
      errors: [...askErrors, 'invalid_cursor'],
      handler: async ({ params, query }, context) =>
        tablesOf(await targetInPath(context, params.id), query, context),
    }),
    route({
      method: 'GET',
      path: '/api/connections/tables',
      name: 'connections.tablesOf',
      summary: 'As the route with the id in the path',
      scope: 'connections:read',
      mode: 'live',
      envelope: { family: 'A', kind: 'one' },
      query: { connectionId: id, ...tablesQuery },
      response: tables,
      errors: [...askErrors, 'invalid_cursor', 'reference_not_found'],
      handler: async ({ query }, context) =>
        tablesOf(await targetByReference(context, query.connectionId), query, context),
    }),
    route({
      method: 'GET',
      path: '/api/connections/{id}/columns',
      name: 'connections.columns',
      summary: 'Columns of a table or view, with their types as the system calls them',
      scope: 'connections:read',
      mode: 'live',
      envelope: { family: 'A', kind: 'one' },
      params: { id },
      query: columnsQuery,
      response: columns,
      errors: askErrors,
      handler: async ({ params, query }, context) =>
        columnsOf(await targetInPath(context, params.id), query, context),
    }),
    route({
      method: 'GET',
      path: '/api/connections/columns',
      name: 'connections.columnsOf',
      summary: 'As the route with the id in the path',
      scope: 'connections:read',
      mode: 'live',
      envelope: { family: 'A', kind: 'one' },
      query: { connectionId: id, ...columnsQuery },
      response: columns,
      errors: [...askErrors, 'reference_not_found'],
      handler: async ({ query }, context) =>
        columnsOf(await targetByReference(context, query.connectionId), query, context),
    }),
    route({
      method: 'GET',
      path: '/api/connections/{id}/schemas',
      name: 'connections.schemas',
      summary: 'Schemas by name; databases where a system has those instead',
      scope: 'connections:read',
      mode: 'live',
      envelope: { family: 'A', kind: 'list', meta: 'cursor' },
      page: namePages,
      params: { id },
      query: { search: Type.Optional(search) },
      response: named,
      errors: askErrors,
      handler: async ({ params, query, page }, context) =>
        namesOf(
          'schemas',
          await targetInPath(context, params.id),
          pageOf(page, query.search),
          context,
        ),
    }),
    route({
      method: 'GET',
      path: '/api/connections/{id}/catalogs',
      name: 'connections.catalogs',
      summary: 'Catalogs by name: databases of a server, those that are attached, or a lakehouse’s',
      scope: 'connections:read',
      mode: 'live',
      envelope: { family: 'A', kind: 'list', meta: 'cursor' },
      page: namePages,
      params: { id },
      query: { search: Type.Optional(search) },
      response: named,
      errors: askErrors,
      handler: async ({ params, query, page }, context) =>
        namesOf(
          'catalogs',
          await targetInPath(context, params.id),
          pageOf(page, query.search),
          context,
        ),
    }),
    route({
      method: 'POST',
      path: '/api/connections/lakehouse/discover',
      name: 'connections.discover',
      summary: 'Catalogs with the schemas in them, or one of them',
      scope: 'connections:read',
      mode: 'live',
      envelope: { family: 'A', kind: 'one' },
      body: Type.Object({ connectionId: id, catalog: Type.Optional(systemName) }),
      response: catalogs,
      errors: [...askErrors, 'reference_not_found'],
      handler: async ({ body }, context) => {
        const target = await targetByReference(context, body.connectionId);
        requireCapability(target, 'catalogs');
        const page = pageOf({ limit: mostNames }, body.catalog);
        const asked = { connectionId: target.id, page };
        const { items } = await context.live(context.scope, 'listCatalogs', asked, context.signal);
        const wanted = items.filter(({ name }) => name === (body.catalog ?? name));
        return {
          connectionId: target.id,
          catalogs: wanted.map(({ name, schemas }) => ({ name, schemas: [...schemas] })),
        };
      },
    }),
  ],
};
