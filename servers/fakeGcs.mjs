/** fake-gcs-server on 127.0.0.1: the JSON API of Google Cloud Storage; it asks for no credentials. */
import { findProgram } from './programs.mjs';
import { startWebServer } from './webServer.mjs';

const VERSION = '1.56.1';

const PROGRAM = {
  title: 'fake-gcs-server',
  name: 'fake-gcs-server',
  variable: 'FAKE_GCS_SERVER',
  version: VERSION,
  inside: 'fake-gcs-server',
  line: `go install github.com/fsouza/fake-gcs-server@v${VERSION}`,
};

/**
 * @param {import('./webServer.mjs').WebServerOptions} options
 * @returns {Promise<import('./webServer.mjs').RunningWebServer>} without buckets
 */
export async function startFakeGcs(options) {
  const { say, signal } = options;
  const command = await findProgram(PROGRAM, { ...(say && { say }), ...(signal && { signal }) });
  return startWebServer(
    {
      title: PROGRAM.title,
      command,
      args: (port, files) => [
        ...['-scheme', 'http', '-host', '127.0.0.1', '-port', String(port)],
        ...['-external-url', `http://127.0.0.1:${port}`, '-public-host', `127.0.0.1:${port}`],
        ...['-backend', 'filesystem', '-filesystem-root', files, '-log-level', 'warn'],
      ],
      ready: '/_internal/healthcheck',
    },
    options,
  );
}
