import { referenceNotFound } from '../../core/errors.js';
import type { Manifest } from '../../connectors/manifest.js';
import type { Connection } from '../../db/models/tables.js';
import type { LockedConnection } from '../../db/repos/connections.js';
import type { ScopedContext } from '../context.js';
import {
  mergeKeys,
  namedCredential,
  openSecrets,
  partSecrets,
  refuseMisfit,
  refuseTwoSources,
  sameValues,
  sealSecrets,
} from './connectionSecrets.js';

type Context = Pick<ScopedContext, 'repos' | 'scope' | 'secrets'>;
type Values = Readonly<Record<string, unknown>>;

/** Where a connection has its secrets from, and what they are. */
type Origin =
  { kind: 'named'; credentialId: string; secret: Values } | { kind: 'own'; secret: Values };

/** One that somebody made to be used; what was typed into another connection is that one's own. */
const shared = async (context: Context, id: string, type: string): Promise<Origin> => {
  const { implicit, sealed } = await namedCredential(context, id, type);
  if (implicit) throw referenceNotFound('/credentialId', 'credential');
  return { kind: 'named', credentialId: id, secret: openSecrets(context, id, sealed) };
};

/** What was typed is sealed apart; its credential is named after the connection. */
const keepOwn = async (
  context: Context,
  connection: { name: string; type: string },
  secret: Values,
): Promise<string | null> => {
  const { repos, scope } = context;
  const fields = Object.keys(secret);
  if (fields.length === 0) return null;
  const id = await repos.credentials.nextId();
  await repos.credentials.create(scope, {
    ...connection,
    id,
    implicit: true,
    sealed: sealSecrets(context, id, secret),
    fields,
  });
  return id;
};

export interface ConnectionBody {
  name: string;
  type: string;
  config: Values;
  credentialId?: string | null;
}

export const createConnection = async (
  context: Context,
  manifest: Manifest,
  { name, type, config, credentialId = null }: ConnectionBody,
): Promise<Connection> => {
  const { repos, scope } = context;
  const { open, secret: typed } = partSecrets(config, manifest);
  let origin: Origin = { kind: 'own', secret: typed };
  if (credentialId !== null) {
    refuseTwoSources(typed);
    origin = await shared(context, credentialId, type);
  }
  refuseMisfit(manifest, open, origin.secret);
  const made =
    origin.kind === 'named'
      ? origin.credentialId
      : await keepOwn(context, { name, type }, origin.secret);
  return repos.connections.create(scope, {
    name,
    type,
    config: JSON.stringify(open),
    credentialId: made,
  });
};

export interface ConnectionChange {
  name?: string;
  config?: Values;
  credentialId?: string | null;
}

const originAfter = async (
  context: Context,
  stored: LockedConnection,
  before: Values,
  wanted: string | null | undefined,
  changes: Values,
): Promise<Origin> => {
  const { type, credential_id: current, implicit } = stored;
  const typed = mergeKeys({}, changes);
  if (wanted !== undefined && wanted !== current) {
    if (wanted === null) return { kind: 'own', secret: typed };
    refuseTwoSources(typed);
    return shared(context, wanted, type);
  }
  if (current === null || implicit === true) {
    return { kind: 'own', secret: mergeKeys(before, changes) };
  }
  refuseTwoSources(typed);
  return { kind: 'named', credentialId: current, secret: before };
};

/** Merges by key: what is not named stays, null removes, and the mask leaves a secret as it is. */
export const changeConnection = async (
  context: Context,
  manifest: Manifest,
  stored: LockedConnection,
  change: ConnectionChange,
): Promise<Connection> => {
  const { repos, scope } = context;
  const { id, type, credential_id: current, implicit, sealed } = stored;
  const parted = partSecrets(change.config ?? {}, manifest);
  const open = mergeKeys(JSON.parse(stored.config) as Values, parted.open);
  const before = current === null || sealed === null ? {} : openSecrets(context, current, sealed);
  const origin = await originAfter(context, stored, before, change.credentialId, parted.secret);
  refuseMisfit(manifest, open, origin.secret);

  const name = change.name ?? stored.name;
  const ownNow = implicit === true ? current : null;
  const same = sameValues(before, origin.secret);
  let credentialId: string | null = origin.kind === 'named' ? origin.credentialId : ownNow;
  if (origin.kind === 'own' && !(same && ownNow !== null)) {
    const fields = Object.keys(origin.secret);
    if (ownNow === null || fields.length === 0) {
      credentialId = await keepOwn(context, { name, type }, origin.secret);
    } else {
      const again = sealSecrets(context, ownNow, origin.secret);
      await repos.credentials.update(scope, ownNow, { secrets: { sealed: again, fields } });
    }
  }
  const row = await repos.connections.update(scope, id, {
    name,
    config: JSON.stringify(open),
    credentialId,
    rotated: origin.kind === 'own' && !same,
  });
  if (ownNow !== null && ownNow !== credentialId) {
    await repos.credentials.removeImplicit(scope, ownNow);
  }
  return row;
};
