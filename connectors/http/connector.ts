import { connectFailure } from '../../core/connecting.js';
import { RunFailure } from '../../core/failures.js';
import type { CallContext, ConnectorModule } from '../connector.js';
import type { Checked } from '../../core/browse.js';
import { makeHttpDispatcher } from '../httpDispatcher.js';
import { makeAddresses, shownAddress } from './address.js';
import { makeAuthorize, unauthorized } from './authorize.js';
import { makeApiClient } from './client.js';
import type { ClientDeps } from './client.js';
import { makeHttpDestination } from './destination.js';
import type { HttpConfig } from './manifest.js';
import { makeHttpSource } from './source.js';

/** Headers that are not a user's to set: they are about the connection, or have a place of their own. */
const ours =
  /^(host|accept-encoding|connection|content-length|content-type|transfer-encoding|te|trailer|upgrade|keep-alive|expect|authorization|idempotency-key)$/i;

const longestVersion = 100;

const refused = (message: string): RunFailure =>
  new RunFailure({ code: 'config_invalid', class: 'config', message });

const checkHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> => {
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/.test(name) || /[^\t\x20-\x7e]/.test(value)) {
      throw refused(`headers of the connection: ${JSON.stringify(name)} is no header of HTTP.`);
    }
    if (ours.test(name)) throw refused(`headers of the connection: ${name} cannot be set there.`);
  }
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
};

export const connector: ConnectorModule = {
  open: (connection, { net, role }) => {
    const config = connection as HttpConfig;
    const { baseUrl, rateLimit, timeoutSeconds = 60, caCertificate, checkPath } = config;
    const addresses = makeAddresses(baseUrl);
    const { dispatcher, close } = makeHttpDispatcher({
      connect: (host, port, signal) => net.connect(host, port, signal, role),
      answerTimeoutMs: timeoutSeconds * 1_000,
      ...(caCertificate === undefined ? {} : { caCertificate }),
    });
    // Pieces of an answer may come one by one.
    const answerMs = timeoutSeconds * 5_000;
    const common: Omit<ClientDeps, 'authorize'> = {
      dispatcher,
      role,
      answerMs,
      rateLimit,
      headers: checkHeaders(config.headers ?? {}),
    };
    const tokens = makeApiClient({
      ...common,
      headers: {},
      rateLimit: undefined,
      authorize: unauthorized,
    });
    const authorize = makeAuthorize(config, {
      // Asked twice, a token server gives two tokens.
      fetchToken: async (request, signal) => {
        const refusals = [400, 401, 403];
        const accepts = (status: number): boolean => refusals.includes(status);
        const asked = { method: 'POST' as const, ...request };
        const { status, body } = await tokens.send(asked, { signal, accepts });
        if (!refusals.includes(status)) return body;
        const where = `The token server ${shownAddress(request.url)}`;
        throw connectFailure('login_refused', { role, where, detail: `[${status}]` });
      },
      now: () => performance.now(),
    });
    const client = makeApiClient({ ...common, authorize });

    const check = async ({ signal }: CallContext): Promise<Checked> => {
      const request = { method: 'GET' as const, url: addresses.below(checkPath ?? '') };
      // Few APIs have anything at their base: that it answers is enough.
      const accepts = (status: number): boolean =>
        checkPath === undefined && status >= 300 && status < 500 && ![401, 403].includes(status);
      const answer = await client.send(request, { signal, accepts, attempts: 1 });
      const server = answer.header('server');
      return { serverVersion: server?.slice(0, longestVersion) ?? null, notes: [] };
    };

    return {
      documents: {
        source: makeHttpSource({ client, addresses, rateLimit }),
        destination: makeHttpDestination({ client, addresses }),
      },
      check,
      close,
    };
  },
};
