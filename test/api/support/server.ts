import { makeAuthenticator } from '../../../api/auth.js';
import { listen } from '../../../api/listen.js';
import type { RouteTable } from '../../../api/route.js';
import { makeApi } from '../../../api/server.js';
import { makeFakePorts } from './fakePorts.js';
import { call } from './http.js';
import type { Answered, Call } from './http.js';

export interface FrameworkOptions {
  tables: readonly RouteTable[];
  basePrefix?: string;
}

/** The real server over fake ports, on a port of its own, with a key that may do everything. */
export const startFramework = async ({ tables, basePrefix = '' }: FrameworkOptions) => {
  const fake = makeFakePorts();
  const authenticator = makeAuthenticator(fake.keys, fake.ports.log);
  const app = makeApi({
    tables,
    ports: fake.ports,
    authenticator,
    basePrefix,
    version: '0.0.0',
    checkResponses: true,
  });
  const { url, close } = await listen(app.callback(), { host: '127.0.0.1', port: 0 });
  const token = fake.issue(['*:*']).secret;
  return {
    fake,
    authenticator,
    url,
    close,
    token,
    /** With the key that may do everything, unless the call says otherwise. */
    send: (path: string, options: Call = {}): Promise<Answered> =>
      call(url + path, { token, ...options }),
    /** Without a token. */
    bare: (path: string, options: Call = {}): Promise<Answered> => call(url + path, options),
  };
};

export type Framework = Awaited<ReturnType<typeof startFramework>>;
