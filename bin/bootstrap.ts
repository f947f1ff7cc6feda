import { roleScopes } from '../core/permissions.js';
import type { Repos } from '../db/repos/index.js';
import type { InTransaction } from '../db/tx.js';
import { describeApiKey, isApiKey, newApiKey } from '../secrets/apiKeys.js';
import type { Box } from '../secrets/box.js';
import { hashPassword } from '../secrets/passwords.js';
import type { Config } from './config.js';
import { StartError } from './main.js';

const keyCheck = { table: 'instance', row: 'true', field: 'key_check' };
const keyCheckText = 'fluxline';

/** Refuses a master key that does not open what this database was sealed with. */
export const checkMasterKey = async (repos: Repos, box: Box): Promise<void> => {
  const sealed = await repos.instance.keyCheck();
  if (sealed === undefined) return;
  try {
    if (box.open(sealed, keyCheck) === keyCheckText) return;
  } catch {
    // Another key and a damaged row look the same on purpose.
  }
  throw new StartError(
    'FLX_MASTER_KEY is not the key this database was sealed with: start with the original key.',
  );
};

const hashWanted = async (password: string | undefined): Promise<string | null> => {
  if (password === undefined) return null;
  try {
    return await hashPassword(password);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new StartError(`FLX_BOOTSTRAP_PASSWORD: ${error.message}`);
  }
};

/** On an empty database: organization, workspace, owner and one API key, which is returned once. */
export const bootstrap = async (
  { bootstrap: wanted, limits }: Config,
  inTransaction: InTransaction,
  box: Box,
): Promise<string | undefined> => {
  if (wanted.apiKey !== undefined && !isApiKey(wanted.apiKey)) {
    throw new StartError(
      'FLX_BOOTSTRAP_API_KEY is not well formed: flx_, 30 base62 characters and their CRC-32 in 6.',
    );
  }
  const key = wanted.apiKey === undefined ? newApiKey() : describeApiKey(wanted.apiKey);
  const passwordHash = await hashWanted(wanted.password);
  const { value: first } = await inTransaction(async (repos) => {
    if (!(await repos.instance.claim(box.seal(keyCheckText, keyCheck)))) return false;
    await repos.instance.createOwner({
      organization: wanted.organization,
      slug: wanted.organization.toLowerCase().replace(/[^a-z0-9]+/g, '-'),
      email: wanted.email,
      passwordHash,
      limits,
      key: { prefix: key.prefix, hash: key.hash, scopes: roleScopes.owner },
    });
    return true;
  });
  return first ? key.secret : undefined;
};
