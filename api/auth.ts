import type { Logger } from 'pino';
import { AppError } from '../core/errors.js';
import { covers } from '../core/permissions.js';
import type { Permission } from '../core/permissions.js';
import type { FoundKey } from '../db/repos/apiKeys.js';
import type { Caller } from './context.js';
import type { Keys } from './ports.js';

const freshMs = 5_000;
const mostEntries = 10_000;
const bearer = /^Bearer +([^\s]+) *$/i;

export interface Authenticator {
  /** Who the Authorization header speaks for; 401 where it speaks for nobody. */
  authenticate: (header: string | undefined) => Promise<Caller>;
  /** A key changed: forget it. Without a hash (notifications were missed) forget them all. */
  evict: (hash?: string) => void;
}

interface Entry {
  found: Promise<KnownCaller | undefined>;
  until: number;
}

interface KnownCaller extends Caller {
  expiresAt: number;
}

/** `reason` is a metric label, `challenge` the rest of the WWW-Authenticate header. */
const refuse = (
  reason: 'missing' | 'malformed' | 'unknown' | 'expired',
  message: string,
): AppError =>
  new AppError('unauthenticated', message, {
    authFailure: reason,
    challenge: reason === 'missing' ? 'Bearer' : 'Bearer error="invalid_token"',
  });

const toCaller = ({ principal, expiresAt }: FoundKey): KnownCaller => ({
  principal,
  scope: { workspaceId: principal.workspaceId },
  expiresAt: expiresAt?.getTime() ?? Infinity,
});

/**
 * Bearer token to caller. A key is looked up at most every five seconds, however many requests
 * carry it; its expiry is looked at every time.
 */
export const makeAuthenticator = (keys: Keys, log: Logger): Authenticator => {
  const entries = new Map<string, Entry>();

  const lookUp = async (hash: string): Promise<KnownCaller | undefined> => {
    const found = await keys.find(hash);
    if (!found) return undefined;
    keys.touch(found.principal).catch((error: unknown) => {
      log.warn({ err: error }, 'could not note the use of a key');
    });
    return toCaller(found);
  };

  const remember = (hash: string): Entry => {
    const oldest = entries.size >= mostEntries ? entries.keys().next().value : undefined;
    if (oldest !== undefined) entries.delete(oldest);
    const entry = { found: lookUp(hash), until: Date.now() + freshMs };
    entries.set(hash, entry);
    const forget = (): void => {
      if (entries.get(hash) === entry) entries.delete(hash);
    };
    // Only keys that exist are kept: guesses must not push them out.
    entry.found.then((caller) => {
      if (!caller) forget();
    }, forget);
    return entry;
  };

  return {
    authenticate: async (header) => {
      const token = header === undefined ? undefined : bearer.exec(header)?.[1];
      if (token === undefined) throw refuse('missing', 'Send an API key as a bearer token.');
      const hash = keys.hash(token);
      if (hash === undefined) throw refuse('malformed', 'This is not an API key.');
      const known = entries.get(hash);
      const entry = known && known.until > Date.now() ? known : remember(hash);
      const caller = await entry.found;
      if (!caller) throw refuse('unknown', 'This API key does not exist or was revoked.');
      if (caller.expiresAt <= Date.now()) throw refuse('expired', 'This API key has expired.');
      return caller;
    },

    evict: (hash) => {
      if (hash === undefined) entries.clear();
      else entries.delete(hash);
    },
  };
};

export const requireScope = ({ principal }: Caller, needed: Permission): void => {
  if (covers(principal.scopes, needed)) return;
  throw new AppError('insufficient_scope', `This needs the scope ${needed}.`, {
    scope: needed,
    challenge: `Bearer error="insufficient_scope", scope="${needed}"`,
  });
};
