/** MinIO on 127.0.0.1: S3 over a directory. It is run as a program of its own (AGPL). */
import { randomBytes } from 'node:crypto';
import { findProgram } from './programs.mjs';
import { startWebServer } from './webServer.mjs';

const VERSION = 'v0.0.0-20260212201848-7aac2a2c5b7c';

const PROGRAM = {
  title: 'MinIO',
  name: 'minio',
  variable: 'MINIO',
  version: '20260212201848',
  inside: 'minio',
  line: `go install github.com/minio/minio@${VERSION}`,
};

/**
 * @typedef {import('./webServer.mjs').RunningWebServer & {
 *   region: string, accessKeyId: string, secretAccessKey: string,
 * }} RunningMinio
 */

/**
 * @param {import('./webServer.mjs').WebServerOptions} options
 * @returns {Promise<RunningMinio>} without buckets
 */
export async function startMinio(options) {
  const { say, signal } = options;
  const command = await findProgram(PROGRAM, { ...(say && { say }), ...(signal && { signal }) });
  const accessKeyId = 'fluxline';
  const secretAccessKey = randomBytes(16).toString('hex');
  const server = await startWebServer(
    {
      title: PROGRAM.title,
      command,
      args: (port, files) => ['server', '--quiet', '--address', `127.0.0.1:${port}`, files],
      ready: '/minio/health/cluster',
      env: {
        ...withoutSettings(),
        MINIO_ROOT_USER: accessKeyId,
        MINIO_ROOT_PASSWORD: secretAccessKey,
        MINIO_BROWSER: 'off',
        MINIO_UPDATE: 'off',
      },
    },
    options,
  );
  return { ...server, region: 'us-east-1', accessKeyId, secretAccessKey };
}

/** MINIO_* of the user are meant for another server. */
function withoutSettings() {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('MINIO')),
  );
}
