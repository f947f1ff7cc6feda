import type { Dispatcher } from 'undici';
import { RunFailure } from '../../core/failures.js';
import type { Role } from '../manifest.js';
import { encodeKey } from '../objects/keys.js';
import { leave, makeSender } from '../objects/sender.js';
import type { Expected, ObjectRequest, Sender, StreamAnswer } from '../objects/sender.js';
import type { HttpFilesConfig } from './manifest.js';

/** A web site that can be asked for files. */
export interface Site {
  words: Sender['words'];
  /** Follows where the site sends to; credentials go to the site itself only. */
  open: (
    method: 'GET' | 'HEAD',
    key: string,
    headers: Readonly<Record<string, string>>,
    expected: Expected,
  ) => Promise<StreamAnswer>;
}

const mostHops = 5;
const elsewhere = [301, 302, 303, 307, 308];

const authorizationOf = ({ user, password = '', token }: HttpFilesConfig): string | undefined => {
  if (token !== undefined) return `Bearer ${token}`;
  if (user === undefined) return undefined;
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
};

const lost = (where: string): RunFailure =>
  new RunFailure({
    code: 'config_invalid',
    class: 'config',
    message: `${where}: it sends from one address to the next and never to a file: check baseUrl.`,
  });

const targetOf = (answer: StreamAnswer, base: string): URL | undefined => {
  const location = answer.header('location') ?? '';
  if (!URL.canParse(location, base)) return undefined;
  const target = new URL(location, base);
  return ['http:', 'https:'].includes(target.protocol) ? target : undefined;
};

export const openSite = (config: HttpFilesConfig, role: Role, dispatcher: Dispatcher): Site => {
  const base = new URL(config.baseUrl);
  const root = base.pathname.replace(/\/$/, '');
  const authorization = authorizationOf(config);
  const sender = makeSender({
    dispatcher,
    origin: base.origin,
    words: { role, where: `Files at ${base.host}`, reasons: {} },
    sign: ({ origin = base.origin, headers = {} }) => ({
      query: {},
      headers:
        authorization === undefined || origin !== base.origin
          ? headers
          : { ...headers, authorization },
    }),
    codeOf: () => '',
  });
  const { words } = sender;
  return {
    words,
    open: async (method, key, headers, expected) => {
      // What it is asked for is the file as it is, not packed for the way.
      const sent = { ...headers, 'accept-encoding': 'identity' };
      let at = { origin: base.origin, path: `${root}/${encodeKey(key)}` };
      for (let hop = 0; hop < mostHops; hop++) {
        const request: ObjectRequest = { method, ...at, headers: sent };
        const answer = await sender.open(request, {
          ...expected,
          accepts: [...expected.accepts, ...elsewhere],
        });
        if (!elsewhere.includes(answer.status)) return answer;
        await leave(answer);
        const target = targetOf(answer, `${at.origin}${at.path}`);
        if (!target) break;
        at = { origin: target.origin, path: `${target.pathname}${target.search}` };
      }
      throw lost(words.where);
    },
  };
};
