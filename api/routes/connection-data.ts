import { Type } from '@sinclair/typebox';
import { invalid } from '../../core/errors.js';
import { checkPath, fileFormats, longestPath } from '../../core/nodes/filePaths.js';
import { AppError } from '../../core/errors.js';
import { route } from '../route.js';
import type { RouteTable } from '../route.js';
import { found, requireCapability, targetInPath } from '../schemas/connection.js';
import type { Target } from '../schemas/connection.js';
import { id } from '../schemas/id.js';
import { askErrors } from '../schemas/liveErrors.js';
import { nullable } from '../schemas/objects.js';
import { placeCursor, readPlace, writePlace } from '../schemas/placeCursor.js';
import { mostRows, row, rowLimit, usualRows } from '../schemas/rows.js';
import { oneOf } from '../schemas/text.js';
import { timestamp } from '../schemas/timestamp.js';

const filesAtOnce = 1_000;

/** What is looked at where nothing is named. */
const configuredObject = ({ config, manifest: { defaultObject } }: Target): string | undefined => {
  const value = defaultObject === undefined ? undefined : config[defaultObject];
  return typeof value === 'string' ? value : undefined;
};

/** What its sources read; tables where it says of itself that they can be looked at. */
const kindOf = (target: Target): 'table' | 'path' | 'topic' => {
  const { capabilities } = target.manifest;
  if (capabilities.includes('source.topic')) return 'topic';
  if (capabilities.includes('source.http') || capabilities.includes('files')) return 'path';
  requireCapability(target, 'preview');
  return 'table';
};

const refuseBadPath = (path: string): void => {
  const errors = checkPath(path, '/path');
  if (errors.length > 0) throw new AppError('validation_failed', 'The path is none.', { errors });
};

export const connectionData: RouteTable = {
  tag: 'Connections',
  routes: [
    route({
      method: 'GET',
      path: '/api/connections/{id}/preview',
      name: 'connections.preview',
      summary: 'Some rows of a table, topic or file',
      description:
        'A number is one only where it is exact, else the text that the system writes; bytes are ' +
        'base64. Texts are cut at 4,096 characters; `truncated` says that there was more.',
      scope: 'connections:run',
      mode: 'live',
      envelope: { family: 'A', kind: 'one' },
      params: { id },
      query: {
        schema: Type.Optional(Type.String({ minLength: 1, maxLength: 1_024 })),
        table: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: longestPath,
            description: 'A table, a topic, or the path of a file. Default: the configured one',
          }),
        ),
        limit: Type.Optional(rowLimit),
      },
      response: Type.Object({
        columns: Type.Array(Type.String()),
        rows: Type.Array(row),
        truncated: Type.Boolean(),
      }),
      errors: askErrors,
      handler: async ({ params, query }, context) => {
        const target = await targetInPath(context, params.id);
        const kind = kindOf(target);
        const object = query.table ?? configuredObject(target);
        if (object === undefined) {
          throw invalid('/table', 'Say what to show: the connection itself names nothing.');
        }
        const asked = {
          connectionId: target.id,
          object,
          kind,
          rows: Math.min(query.limit ?? usualRows, mostRows),
          ...(query.schema === undefined ? {} : { schema: query.schema }),
        };
        const answer = await context.live(context.scope, 'preview', asked, context.signal);
        const { columns, rows, truncated } = found(answer);
        return {
          columns: columns.map(({ name }) => name),
          rows: rows.map((cells) => [...cells]),
          truncated,
        };
      },
    }),
    route({
      method: 'GET',
      path: '/api/connections/{id}/files',
      name: 'connections.files',
      summary: `Files below a prefix, ${filesAtOnce} at a time; with a delimiter, one level of them`,
      description:
        'Without a delimiter everything below the prefix is listed. With one, what lies deeper is ' +
        'one common prefix for each part up to the delimiter.',
      scope: 'connections:read',
      mode: 'live',
      envelope: { family: 'A', kind: 'one' },
      params: { id },
      query: {
        prefix: Type.Optional(Type.String({ maxLength: longestPath })),
        delimiter: Type.Optional(Type.String({ minLength: 1, maxLength: 10 })),
        cursor: Type.Optional(placeCursor),
      },
      response: Type.Object({
        prefix: Type.String(),
        objects: Type.Array(
          Type.Object({ key: Type.String(), size: Type.Integer(), lastModified: timestamp }),
        ),
        commonPrefixes: Type.Array(Type.String()),
        nextCursor: nullable(Type.String()),
      }),
      errors: [...askErrors, 'invalid_cursor'],
      handler: async ({ params, query }, context) => {
        const target = await targetInPath(context, params.id);
        requireCapability(target, 'files');
        const { prefix = '', delimiter, cursor } = query;
        const question = ['files', target.id, prefix, delimiter];
        const asked = {
          connectionId: target.id,
          prefix,
          limit: filesAtOnce,
          ...(delimiter === undefined ? {} : { delimiter }),
          ...(cursor === undefined ? {} : { after: readPlace(question, cursor) }),
        };
        const page = await context.live(context.scope, 'listFiles', asked, context.signal);
        return {
          prefix,
          objects: page.files.map(({ key, bytes, modifiedAt }) => ({
            key,
            size: bytes,
            lastModified: modifiedAt,
          })),
          commonPrefixes: [...page.prefixes],
          nextCursor: writePlace(question, page.next),
        };
      },
    }),
    route({
      method: 'GET',
      path: '/api/connections/{id}/cloud-schema',
      name: 'connections.cloudSchema',
      summary:
        'Columns of a file, or of the first of several, with the types a pipeline gives them',
      scope: 'connections:read',
      mode: 'live',
      envelope: { family: 'A', kind: 'one' },
      params: { id },
      query: {
        path: Type.String({
          minLength: 1,
          maxLength: longestPath,
          description: 'Of a file; may hold *, **, ?, [a-z] and {a,b}',
        }),
        format: Type.Optional(oneOf(fileFormats, { description: 'Default: by the extension' })),
      },
      response: Type.Object({
        connectionId: id,
        path: Type.String(),
        format: oneOf(fileFormats),
        columns: Type.Array(
          Type.Object({ name: Type.String(), type: Type.String(), nullable: Type.Boolean() }),
        ),
      }),
      errors: askErrors,
      handler: async ({ params, query }, context) => {
        const target = await targetInPath(context, params.id);
        requireCapability(target, 'files');
        const { path, format } = query;
        refuseBadPath(path);
        const asked = {
          connectionId: target.id,
          path,
          ...(format === undefined ? {} : { format }),
        };
        const answer = await context.live(context.scope, 'fileSchema', asked, context.signal);
        const { format: read, columns } = found(answer);
        return {
          connectionId: target.id,
          path,
          format: read,
          columns: columns.map(({ name, type, nullable: may }) => ({ name, type, nullable: may })),
        };
      },
    }),
  ],
};
