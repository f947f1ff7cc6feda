import { RunFailure } from '../../core/failures.js';
import type { HttpConfig } from './manifest.js';

export interface TokenRequest {
  url: URL;
  headers: Record<string, string>;
  body: Buffer;
}

export interface AuthorizeDeps {
  /** Has the token server answer; the answer's body. */
  fetchToken: (request: TokenRequest, signal: AbortSignal) => Promise<Buffer>;
  now: () => number;
}

export interface Authorize {
  /** Headers that show who a request is from. `renew`: what was shown last was refused. */
  headers: (signal: AbortSignal, renew: boolean) => Promise<Readonly<Record<string, string>>>;
  /** Whether it has anything else to show. */
  renews: boolean;
}

export const unauthorized: Authorize = { headers: async () => ({}), renews: false };

type Auth = NonNullable<HttpConfig['auth']>;
type OAuth = Extract<Auth, { type: 'oauth2' }>;

const refused = (message: string): RunFailure =>
  new RunFailure({ code: 'config_invalid', class: 'config', message });

const needed = (value: string | undefined, key: string, type: string): string => {
  if (value !== undefined) return value;
  throw refused(`auth of the connection is ${type}: set ${key}, too.`);
};

/** As it is in a header, where not all signs may stand. */
const inHeader = (value: string, key: string): string => {
  if (/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value)) return value;
  throw refused(
    `${key} of the connection has signs that no header can carry, or blanks around it.`,
  );
};

const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

const tokenRequest = (
  { tokenUrl, clientId, scope, audience, credentialsIn }: OAuth,
  secret: string,
): TokenRequest => {
  const form = new URLSearchParams({ grant_type: 'client_credentials' });
  if (scope !== undefined) form.set('scope', scope);
  if (audience !== undefined) form.set('audience', audience);
  const headers: Record<string, string> = {
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
  };
  if (credentialsIn === 'body') {
    form.set('client_id', clientId);
    form.set('client_secret', secret);
  } else {
    headers['authorization'] = basic(encodeURIComponent(clientId), encodeURIComponent(secret));
  }
  return { url: new URL(tokenUrl), headers, body: Buffer.from(form.toString()) };
};

interface Token {
  value: string;
  goodUntil: number;
}

/** A token is renewed before it ends: it has to hold until a request arrives. */
const marginMs = 30_000;
const defaultLifeSeconds = 300;

const noToken = ({ tokenUrl }: OAuth): RunFailure =>
  new RunFailure({
    code: 'auth_failed',
    class: 'config',
    message: `${new URL(tokenUrl).origin}: the answer of the token server has no access_token: check tokenUrl.`,
  });

const tokenIn = (auth: OAuth, answer: Buffer, now: number): Token => {
  try {
    const { access_token: value, expires_in: life } = JSON.parse(answer.toString()) as {
      access_token?: unknown;
      expires_in?: unknown;
    };
    if (typeof value !== 'string') throw noToken(auth);
    const seconds = Number(life ?? defaultLifeSeconds);
    const lifeMs = (Number.isFinite(seconds) ? seconds : defaultLifeSeconds) * 1_000;
    return {
      value: inHeader(value, 'access_token'),
      goodUntil: now + Math.max(lifeMs - marginMs, lifeMs / 2),
    };
  } catch {
    throw noToken(auth);
  }
};

const byToken = (auth: OAuth, secret: string, { fetchToken, now }: AuthorizeDeps): Authorize => {
  const request = tokenRequest(auth, secret);
  let token: Token | undefined;
  const headers: Authorize['headers'] = async (signal, renew) => {
    if (renew || !token || token.goodUntil <= now()) {
      token = tokenIn(auth, await fetchToken(request, signal), now());
    }
    return { authorization: `Bearer ${token.value}` };
  };
  return { headers, renews: true };
};

export const makeAuthorize = (
  { auth = { type: 'none' }, token, password, apiKey, clientSecret }: HttpConfig,
  deps: AuthorizeDeps,
): Authorize => {
  const always = (headers: Record<string, string>): Authorize => ({
    headers: async () => headers,
    renews: false,
  });
  switch (auth.type) {
    case 'none':
      return unauthorized;
    case 'bearer': {
      const shown = inHeader(needed(token, 'token', 'bearer'), 'token');
      return always({ authorization: `Bearer ${shown}` });
    }
    case 'basic':
      return always({ authorization: basic(auth.user, needed(password, 'password', 'basic')) });
    case 'apiKey': {
      const { header = 'X-Api-Key' } = auth;
      const shown = inHeader(needed(apiKey, 'apiKey', 'apiKey'), 'apiKey');
      return always({ [header.toLowerCase()]: shown });
    }
    case 'oauth2':
      return byToken(auth, needed(clientSecret, 'clientSecret', 'oauth2'), deps);
  }
};
