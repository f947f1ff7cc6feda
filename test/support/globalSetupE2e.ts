// Jest does not map module names here, hence the specifiers without `.js`.
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import globalSetup from './globalSetup';
import { keep } from './running';
import { startServer } from './serverProcess';

/** The others' PostgreSQL, and one Temporal server, in memory. */
export default async function globalSetupE2e(): Promise<void> {
  await globalSetup();
  const directory = mkdtempSync(path.join(os.tmpdir(), 'fluxline-test-temporal-'));
  const server = await startServer('temporal', { logFile: path.join(directory, 'temporal.log') });
  keep(async () => {
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  });
  process.env['FLX_TEST_TEMPORAL_ADDRESS'] = server.ready.address;
}
