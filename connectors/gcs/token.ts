/** Access tokens of a service account: it signs a claim, and Google answers with a token. */
import { createSign } from 'node:crypto';
import type { Dispatcher } from 'undici';
import { connectFailure } from '../../core/connecting.js';
import { RunFailure } from '../../core/failures.js';
import { readBody } from '../httpDispatcher.js';
import type { Role } from '../manifest.js';
import { oddAnswer } from '../objects/failures.js';
import { transportFailure } from '../objects/sender.js';

export interface Tokens {
  /** One that holds for some minutes more. */
  current: (signal: AbortSignal) => Promise<string>;
}

interface Account {
  email: string;
  privateKey: string;
  keyId: string | undefined;
  tokenUrl: URL;
}

const scope = 'https://www.googleapis.com/auth/devstorage.read_write';
const usualTokenUrl = 'https://oauth2.googleapis.com/token';
const grant = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const claimSeconds = 3600;
const earlyMs = 300_000;
const longestAnswer = 64 * 1024;

const refused = (cause: unknown): RunFailure =>
  new RunFailure(
    {
      code: 'config_invalid',
      class: 'config',
      message: 'serviceAccountKey is not the JSON key of a service account: paste the whole file.',
    },
    { cause },
  );

const text = (value: unknown): string => {
  if (typeof value === 'string' && value !== '') return value;
  throw new Error('a member is missing');
};

const accountOf = (json: string): Account => {
  const read = JSON.parse(json) as Readonly<Record<string, unknown>>;
  const { client_email: email, private_key: privateKey, private_key_id: keyId } = read;
  const tokenUrl = new URL(text(read['token_uri'] ?? usualTokenUrl));
  if (!['https:', 'http:'].includes(tokenUrl.protocol)) throw new Error('no way to get tokens');
  return {
    email: text(email),
    privateKey: text(privateKey),
    keyId: typeof keyId === 'string' ? keyId : undefined,
    tokenUrl,
  };
};

const encoded = (value: unknown): string =>
  Buffer.from(JSON.stringify(value)).toString('base64url');

const claimOf = ({ email, privateKey, keyId, tokenUrl }: Account, nowMs: number): string => {
  const iat = Math.floor(nowMs / 1000);
  const claims = { iss: email, scope, aud: tokenUrl.href, iat, exp: iat + claimSeconds };
  const signed = `${encoded({ alg: 'RS256', typ: 'JWT', kid: keyId })}.${encoded(claims)}`;
  return `${signed}.${createSign('RSA-SHA256').update(signed).sign(privateKey, 'base64url')}`;
};

const tokenIn = (body: string): { token: string; seconds: number } => {
  const read = JSON.parse(body) as Readonly<Record<string, unknown>>;
  return { token: text(read['access_token']), seconds: Number(read['expires_in'] ?? claimSeconds) };
};

export const makeTokens = (json: string, dispatcher: Dispatcher, role: Role): Tokens => {
  let held: { token: string; untilMs: number } | undefined;

  const claim = (): { account: Account; assertion: string } => {
    try {
      const account = accountOf(json);
      return { account, assertion: claimOf(account, Date.now()) };
    } catch (error) {
      throw refused(error);
    }
  };

  const fetchToken = async (signal: AbortSignal): Promise<string> => {
    const { account, assertion } = claim();
    const { origin, pathname, search, host } = account.tokenUrl;
    const words = { role, where: `Tokens at ${host}`, reasons: {} };
    try {
      const answer = await dispatcher.request({
        origin,
        path: `${pathname}${search}`,
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ grant_type: grant, assertion }).toString(),
        signal,
      });
      const body = (await readBody(answer.body, longestAnswer)).toString('utf8');
      const detail = `[${answer.statusCode}]`;
      if (answer.statusCode >= 500) throw oddAnswer(words);
      if (answer.statusCode !== 200) {
        throw connectFailure('login_refused', { role, where: words.where, detail });
      }
      const { token, seconds } = tokenIn(body);
      held = { token, untilMs: Date.now() + seconds * 1000 };
      return token;
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof SyntaxError ? oddAnswer(words) : transportFailure(error, words);
    }
  };

  return {
    current: async (signal) =>
      held !== undefined && held.untilMs - earlyMs > Date.now() ? held.token : fetchToken(signal),
  };
};
