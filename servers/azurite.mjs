/** Azurite on 127.0.0.1: Microsoft's emulator of Azure Blob Storage. */
import { randomBytes } from 'node:crypto';
import { findProgram } from './programs.mjs';
import { startWebServer } from './webServer.mjs';

const VERSION = '3.37.0';

const PROGRAM = {
  title: 'Azurite',
  name: 'azurite-blob',
  variable: 'AZURITE_BLOB',
  version: VERSION,
  inside: 'node_modules/.bin/azurite-blob',
  line: `npm install --no-audit --no-fund --prefix . azurite@${VERSION}`,
};

/**
 * @typedef {import('./webServer.mjs').RunningWebServer & {
 *   account: string, accountKey: string, endpoint: string,
 * }} RunningAzurite
 */

/**
 * @param {import('./webServer.mjs').WebServerOptions} options
 * @returns {Promise<RunningAzurite>} without containers
 */
export async function startAzurite(options) {
  const { say, signal } = options;
  const command = await findProgram(PROGRAM, { ...(say && { say }), ...(signal && { signal }) });
  const account = 'fluxline';
  const accountKey = randomBytes(64).toString('base64');
  const server = await startWebServer(
    {
      title: PROGRAM.title,
      command,
      args: (port, files) => [
        ...['--blobHost', '127.0.0.1', '--blobPort', String(port), '--location', files],
        ...['--silent', '--disableTelemetry', '--skipApiVersionCheck'],
      ],
      ready: '/',
      env: { ...process.env, AZURITE_ACCOUNTS: `${account}:${accountKey}` },
    },
    options,
  );
  return { ...server, account, accountKey, endpoint: `${server.url}/${account}` };
}
