import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import { AppError, invalid, notFound, referenceNotFound } from '../../core/errors.js';
import { connectionManifest, connectionTypes } from '../../connectors/catalog.js';
import type { Capability, Manifest } from '../../connectors/manifest.js';
import type { Connection } from '../../db/models/tables.js';
import type { ScopedContext } from '../context.js';
import { id } from './id.js';
import { anyObject, nullable } from './objects.js';
import { name } from './text.js';
import { showTimestamp, timestamp } from './timestamp.js';

export const typeName = Type.String({ minLength: 1, maxLength: 100 });

export const connection = Type.Object({
  id,
  name,
  type: typeName,
  config: anyObject,
  credentialId: nullable(id),
  createdAt: timestamp,
  updatedAt: timestamp,
});

export const showConnection = (row: Connection): Static<typeof connection> => ({
  id: row.id,
  name: row.name,
  type: row.type,
  config: JSON.parse(row.config) as Record<string, unknown>,
  credentialId: row.credential_id,
  createdAt: showTimestamp(row.created_at),
  updatedAt: showTimestamp(row.updated_at),
});

export const manifestOf = (type: string): Manifest => {
  const manifest = connectionManifest(type);
  if (manifest) return manifest;
  throw invalid(
    '/type',
    `Unknown connection type. Known are: ${connectionTypes.join(', ')}.`,
    'unknown_type',
  );
};

/** A connection that a request is about, and what its type is able to. */
export interface Target {
  id: string;
  config: Readonly<Record<string, unknown>>;
  manifest: Manifest;
}

const targetOf = ({ id: connectionId, type, config }: Connection): Target => ({
  id: connectionId,
  config: JSON.parse(config) as Record<string, unknown>,
  manifest: manifestOf(type),
});

type Asked = Pick<ScopedContext, 'repos' | 'scope'>;

/** Named in the path: an unknown one is not there. */
export const targetInPath = async ({ repos, scope }: Asked, connectionId: string) =>
  targetOf(await repos.connections.get(scope, connectionId));

/** Named in a body or a query: an unknown one is a fault of the request. */
export const targetByReference = async ({ repos, scope }: Asked, connectionId: string) => {
  const row = await repos.connections.find(scope, connectionId);
  if (!row) throw referenceNotFound('/connectionId', 'connection');
  return targetOf(row);
};

/** Refuses what a type of connections cannot do before a worker is asked to do it. */
export const requireCapability = ({ manifest }: Target, capability: Capability): void => {
  if (manifest.capabilities.includes(capability)) return;
  throw new AppError(
    'capability_missing',
    `A connection of type ${manifest.id} has no ${capability}.`,
    { capability, type: manifest.id },
  );
};

/** What a live call found; nothing means that it is not there. */
export const found = <T>(answer: T | null): T => {
  if (answer === null) throw notFound();
  return answer;
};
