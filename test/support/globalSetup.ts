// Jest does not map module names here, hence the specifiers without `.js`.
import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import {
  TEMPLATE_DATABASE,
  TEST_API_KEY,
  TEST_MASTER_KEY,
  TEST_ROLE,
  TEST_ROLE_PASSWORD,
} from './fixed';
import { keep } from './running';
import { startServer } from './serverProcess';

const MIGRATE = path.join(__dirname, '..', '..', 'dist', 'bin', 'migrate.js');
const execute = promisify(execFile);

/** One PostgreSQL, and in it the template that every test database is a copy of. */
export default async function globalSetup(): Promise<void> {
  if (process.env['FLX_TEST_PG_URL'] !== undefined) return; // another project's setup was first
  if (!existsSync(MIGRATE)) throw new Error('dist/ is not built: run `npm test`, which does that.');
  const directory = mkdtempSync(path.join(os.tmpdir(), 'fluxline-test-'));
  chmodSync(directory, 0o755); // started by root, PostgreSQL runs as another user
  const server = await startServer('postgres', {
    directory: path.join(directory, 'postgres'),
    logFile: path.join(directory, 'postgres.log'),
    // These databases live as long as the tests: nothing has to survive a power cut.
    settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' },
  });
  const { adminUrl, pgdata } = server.ready;
  keep(async () => {
    await server.stop();
    for (const left of [pgdata, directory]) rmSync(left, { recursive: true, force: true });
  });
  await createTemplate(adminUrl);
  process.env['FLX_TEST_PG_URL'] = adminUrl;
  process.env['FLX_TEST_API_KEY'] = TEST_API_KEY;
  process.env['FLX_TEST_MASTER_KEY'] = TEST_MASTER_KEY;
}

async function createTemplate(adminUrl: string): Promise<void> {
  const admin = new Client({ connectionString: adminUrl, connectionTimeoutMillis: 15_000 });
  await admin.connect();
  try {
    await admin.query(`CREATE ROLE ${TEST_ROLE} LOGIN PASSWORD '${TEST_ROLE_PASSWORD}'`);
    await admin.query(`CREATE DATABASE ${TEMPLATE_DATABASE} OWNER ${TEST_ROLE}`);
    const url = new URL(adminUrl);
    const databaseUrl = `postgres://${TEST_ROLE}:${TEST_ROLE_PASSWORD}@${url.host}/${TEMPLATE_DATABASE}`;
    await execute(process.execPath, ['--enable-source-maps', MIGRATE], {
      timeout: 120_000,
      env: {
        PATH: process.env['PATH'],
        TZ: 'UTC',
        DATABASE_URL: databaseUrl,
        FLX_MASTER_KEY: TEST_MASTER_KEY,
        FLX_BOOTSTRAP_API_KEY: TEST_API_KEY,
      },
    });
    // Copying needs a database that nobody is connected to.
    await admin.query(
      `ALTER DATABASE ${TEMPLATE_DATABASE} ALLOW_CONNECTIONS false IS_TEMPLATE true`,
    );
  } finally {
    await admin.end();
  }
}
