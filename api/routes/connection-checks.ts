import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import { AppError } from '../../core/errors.js';
import { reasonOf } from '../../core/liveFailure.js';
import type { CheckAnswer } from '../../core/live.js';
import { route } from '../route.js';
import type { RouteTable } from '../route.js';
import {
  manifestOf,
  requireCapability,
  targetByReference,
  targetInPath,
  typeName,
} from '../schemas/connection.js';
import {
  namedCredential,
  openSecrets,
  partSecrets,
  refuseMisfit,
} from '../schemas/connectionSecrets.js';
import { id } from '../schemas/id.js';
import { askErrors } from '../schemas/liveErrors.js';
import { anyObject, nullable } from '../schemas/objects.js';
import { mostRows, row, rowLimit, usualRows } from '../schemas/rows.js';

const tested = Type.Object({
  ok: Type.Boolean(),
  latencyMs: Type.Integer(),
  serverVersion: nullable(Type.String()),
  message: Type.String({ description: 'What is wrong, and how to mend it' }),
  code: nullable(
    Type.String({ description: 'One word for what is wrong, whatever the system is' }),
  ),
  notes: Type.Array(Type.String({ description: 'What works, but not all the way' })),
});

const showTested = (answer: CheckAnswer): Static<typeof tested> => {
  const { ok, latencyMs } = answer;
  if (!answer.ok) {
    const { message } = answer.failure;
    const code = reasonOf(answer.failure);
    return { ok, latencyMs, serverVersion: null, message, code, notes: [] };
  }
  const { serverVersion, notes } = answer.checked;
  const message = 'The connection works.';
  return { ok, latencyMs, serverVersion, message, code: null, notes: [...notes] };
};

const longestQuery = 65_536;

export const connectionChecks: RouteTable = {
  tag: 'Connections',
  routes: [
    route({
      method: 'POST',
      path: '/api/connections/test',
      name: 'connections.test',
      summary: 'Try settings out; nothing is kept',
      description:
        'That it does not work is an answer too: 200 with `ok: false`, a `code` and what to do. ' +
        'Secrets come from `config`, or from the credential for what is not typed.',
      scope: 'connections:run',
      mode: 'live',
      envelope: { family: 'A', kind: 'one' },
      body: Type.Object({
        type: typeName,
        config: anyObject,
        credentialId: Type.Optional(nullable(id)),
      }),
      response: tested,
      errors: ['reference_not_found'],
      handler: async ({ body }, context) => {
        const { type, credentialId = null } = body;
        const manifest = manifestOf(type);
        const { open, secret } = partSecrets(body.config, manifest);
        const stored =
          credentialId !== null && (await namedCredential(context, credentialId, type));
        const kept = stored ? openSecrets(context, stored.id, stored.sealed) : {};
        refuseMisfit(manifest, open, { ...kept, ...secret });
        const asked = { type, config: { ...open, ...secret }, credentialId };
        return showTested(
          await context.live(context.scope, 'checkConnection', asked, context.signal),
        );
      },
    }),
    route({
      method: 'POST',
      path: '/api/connections/{id}/test',
      name: 'connections.testStored',
      summary: 'Try a connection out as it is stored',
      scope: 'connections:run',
      mode: 'live',
      extension: true,
      envelope: { family: 'A', kind: 'one' },
      params: { id },
      response: tested,
      handler: async ({ params }, context) => {
        const target = await targetInPath(context, params.id);
        const asked = { connectionId: target.id };
        return showTested(
          await context.live(context.scope, 'checkConnection', asked, context.signal),
        );
      },
    }),
    route({
      method: 'POST',
      path: '/api/connections/test-query',
      name: 'connections.testQuery',
      summary: 'Run a query that only reads, and see its first rows',
      description:
        'One statement, read before it is run: what may change something is refused with 400. ' +
        'What the system itself has against it is 200 with `ok: false`, a message and, where known, ' +
        'a position in the text, from 1. `rowsScanned` is how many rows were fetched.',
      scope: 'connections:run',
      mode: 'live',
      envelope: { family: 'A', kind: 'one' },
      body: Type.Object({
        connectionId: id,
        sql: Type.String({ maxLength: longestQuery, pattern: '\\S' }),
        limit: Type.Optional(rowLimit),
      }),
      response: Type.Object({
        ok: Type.Boolean(),
        columns: Type.Array(Type.String()),
        types: Type.Array(Type.String({ description: 'Of the columns, as the system calls them' })),
        rows: Type.Array(row),
        truncated: Type.Boolean(),
        stats: Type.Object({ rowsScanned: Type.Integer(), executionMs: Type.Integer() }),
        message: nullable(Type.String()),
        position: nullable(Type.Integer()),
      }),
      errors: [...askErrors, 'reference_not_found'],
      handler: async ({ body }, context) => {
        const target = await targetByReference(context, body.connectionId);
        requireCapability(target, 'query');
        const { dialect = 'postgres' } = target.manifest;
        const asked = {
          connectionId: target.id,
          dialect,
          sql: body.sql,
          rows: Math.min(body.limit ?? usualRows, mostRows),
        };
        const answer = await context.live(context.scope, 'runQuery', asked, context.signal);
        if (answer.outcome === 'refused') {
          throw new AppError('validation_failed', 'This query is not run.', {
            errors: answer.issues,
          });
        }
        if (answer.outcome === 'failed') {
          return {
            ok: false,
            columns: [],
            types: [],
            rows: [],
            truncated: false,
            stats: { rowsScanned: 0, executionMs: 0 },
            message: answer.message,
            position: answer.position ?? null,
          };
        }
        const { columns, rows, truncated } = answer.rows;
        return {
          ok: true,
          columns: columns.map(({ name }) => name),
          types: columns.map(({ type }) => type),
          rows: rows.map((cells) => [...cells]),
          truncated,
          stats: {
            rowsScanned: answer.rowsScanned,
            executionMs: Math.round(answer.executionMs),
          },
          message: null,
          position: null,
        };
      },
    }),
  ],
};
