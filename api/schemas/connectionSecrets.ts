import { AppError, invalid, referenceNotFound } from '../../core/errors.js';
import { checkSchema } from '../../core/schema.js';
import type { Manifest } from '../../connectors/manifest.js';
import type { SealedCredential } from '../../db/repos/credentials.js';
import type { ScopedContext } from '../context.js';

type Values = Readonly<Record<string, unknown>>;

/** Stands for a secret that is there: sent back, it changes nothing. */
export const secretMask = '********';

const entriesWhere = (values: Values, keep: (key: string, value: unknown) => boolean) =>
  Object.fromEntries(Object.entries(values).filter(([key, value]) => keep(key, value)));

export interface Parted {
  /** What may be shown. */
  open: Record<string, unknown>;
  /** What is sealed and never comes back; masks are left out. */
  secret: Record<string, unknown>;
}

export const partSecrets = (values: Values, { secretKeys }: Manifest): Parted => ({
  open: entriesWhere(values, (key) => !secretKeys.includes(key)),
  secret: entriesWhere(values, (key, value) => secretKeys.includes(key) && value !== secretMask),
});

/** Keys that are not named stay, null removes one. */
export const mergeKeys = (stored: Values, changes: Values): Record<string, unknown> =>
  entriesWhere({ ...stored, ...changes }, (_key, value) => value !== null);

export const sameValues = (one: Values, other: Values): boolean =>
  Object.keys(one).length === Object.keys(other).length &&
  Object.entries(one).every(([key, value]) => JSON.stringify(value) === JSON.stringify(other[key]));

const placeOf = (row: string) => ({ table: 'credentials', row, field: 'sealed' });

type Sealing = Pick<ScopedContext, 'secrets'>;

export const sealSecrets = ({ secrets }: Sealing, id: string, values: Values): string =>
  secrets.seal(JSON.stringify(values), placeOf(id));

export const openSecrets = ({ secrets }: Sealing, id: string, sealed: string): Values =>
  JSON.parse(secrets.open(sealed, placeOf(id))) as Values;

/** Settings and secrets together have to be what the type of connections wants. */
export const refuseMisfit = ({ config }: Manifest, open: Values, secret: Values): void => {
  const errors = checkSchema(config, { ...open, ...secret }, '/config');
  if (errors.length === 0) return;
  throw new AppError('validation_failed', 'The config does not fit the connection type.', {
    errors,
  });
};

/** Of secrets alone: those that are there have to be what the type of connections wants. */
export const refuseMisfitFields = ({ config }: Manifest, secret: Values): void => {
  const errors = Object.entries(secret).flatMap(([key, value]) => {
    const schema = config.properties[key];
    return schema ? checkSchema(schema, value, `/fields/${key}`) : [];
  });
  if (errors.length === 0) return;
  throw new AppError('validation_failed', 'The fields do not fit the connection type.', { errors });
};

/** The credential that a request names: of this workspace, and for connections of this type. */
export const namedCredential = async (
  { repos, scope }: Pick<ScopedContext, 'repos' | 'scope'>,
  id: string,
  type: string,
): Promise<SealedCredential> => {
  const credential = await repos.credentials.find(scope, id);
  if (!credential) throw referenceNotFound('/credentialId', 'credential');
  if (credential.type === type) return credential;
  throw invalid(
    '/credentialId',
    `This credential is for connections of type ${credential.type}, not ${type}.`,
    'type_mismatch',
  );
};

export const refuseTwoSources = (secret: Values): void => {
  const [field] = Object.keys(secret);
  if (field === undefined) return;
  throw invalid(`/config/${field}`, 'Secrets come either from credentialId or from config.');
};
