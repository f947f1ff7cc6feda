import { chmodSync, chownSync, copyFileSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { openSession } from '../../../connectors/postgres/session.js';
import type { PostgresConfig } from '../../../connectors/postgres/manifest.js';
import { RunFailure } from '../../../core/failures.js';
import { createEmptyDatabase, createTestDatabase } from '../../support/database.js';
import type { TestDatabase } from '../../support/database.js';
import { startOwnServer } from '../../support/processes.js';
import { query } from '../../support/service.js';
import { waitFor } from '../../support/wait.js';
import { configOf, net } from './sourceTesting.js';

const silent = { info: () => undefined, warn: () => undefined };

/** Whether a session is encrypted, or why there is none. */
const attempt = async (config: PostgresConfig, signal = new AbortController().signal) => {
  try {
    const session = await openSession(
      config,
      { net, role: 'destination' },
      { signal, log: silent },
    );
    const { rows } = await session.client.query<{ ssl: boolean }>(
      'select ssl from pg_stat_ssl where pid = pg_backend_pid()',
    );
    await session.close();
    await session.close();
    return { encrypted: rows[0]?.ssl };
  } catch (error) {
    if (error instanceof RunFailure) return error.failure;
    throw error;
  }
};

describe('a server in the clear', () => {
  let database: TestDatabase;
  let config: PostgresConfig;

  beforeAll(async () => {
    database = await createEmptyDatabase();
    config = configOf(database.url);
  });
  afterAll(() => database.drop());

  test('is taken as it is, unless TLS is asked for', async () => {
    expect(await attempt(config)).toEqual({ encrypted: false });
    expect(await attempt({ ...config, ssl: 'disable' })).toEqual({ encrypted: false });
    expect(await attempt({ ...config, ssl: 'require' })).toMatchObject({
      code: 'config_invalid',
      class: 'config',
      message: expect.stringContaining('does not offer TLS') as string,
    });
  });

  test.each<[string, Partial<PostgresConfig>, object]>([
    ['a wrong password', { password: 'no' }, { code: 'auth_failed', class: 'auth' }],
    ['no such database', { database: 'nope' }, { code: 'config_invalid', class: 'config' }],
    ['nothing listening', { port: 1 }, { code: 'destination_unreachable', class: 'transient' }],
    [
      'an unknown host',
      { host: 'no-such-host.invalid' },
      { code: 'destination_unreachable', class: 'transient' },
    ],
    ['a private address', { host: '10.1.2.3' }, { code: 'egress_denied', class: 'config' }],
    [
      'a setting it does not know',
      { options: { nonsense: '1' } },
      { code: 'config_invalid', class: 'config' },
    ],
  ])('says what is wrong: %s', async (_what, changes, expected) => {
    const failure = await attempt({ ...config, ...changes });
    expect(failure).toMatchObject(expected);
    expect(JSON.stringify(failure)).not.toContain(config.password);
  });

  test('that is our own metadata is refused', async () => {
    const metadata = await createTestDatabase();
    expect(await attempt(configOf(metadata.url))).toMatchObject({
      code: 'platform_database_refused',
    });
    await metadata.drop();
  });

  test('leaves no connection behind, however the session ended', async () => {
    await attempt(config);
    await attempt({ ...config, options: { nonsense: '1' } });
    await waitFor(
      async () => {
        const others = await query(
          database.url,
          `select 1 from pg_stat_activity where datname = current_database()
              and pid <> pg_backend_pid() and backend_type = 'client backend'`,
        );
        return others.length === 0;
      },
      { timeoutMs: 10_000, what: 'every session to be gone' },
    );
  });
});

test('a server with TLS is believed only if its certificate names it', async () => {
  const server = await startOwnServer('postgres');
  const { adminUrl, pgdata } = server.ready;
  const fixtures = join(__dirname, '..', '..', 'fixtures', 'tls');
  const { uid, gid } = statSync(pgdata);
  for (const [name, mode] of [
    ['certificate.pem', 0o644],
    ['key.pem', 0o600],
  ] as const) {
    copyFileSync(join(fixtures, name), join(pgdata, name));
    chownSync(join(pgdata, name), uid, gid);
    chmodSync(join(pgdata, name), mode);
  }
  await query(adminUrl, `alter system set ssl_cert_file = 'certificate.pem'`);
  await query(adminUrl, `alter system set ssl_key_file = 'key.pem'`);
  await query(adminUrl, 'alter system set ssl = on');
  await query(adminUrl, 'select pg_reload_conf()');
  const config = { ...configOf(adminUrl), host: 'localhost' };
  const caCertificate = readFileSync(join(fixtures, 'certificate.pem'), 'utf8');

  expect(await attempt({ ...config, ssl: 'disable' })).toEqual({ encrypted: false });
  expect(await attempt({ ...config, ssl: 'prefer' })).toEqual({ encrypted: true });
  expect(await attempt({ ...config, ssl: 'require' })).toEqual({ encrypted: true });
  expect(await attempt({ ...config, ssl: 'verify-full', caCertificate })).toEqual({
    encrypted: true,
  });
  const untrusted = { code: 'auth_failed', class: 'config' };
  expect(await attempt({ ...config, ssl: 'verify-full' })).toMatchObject(untrusted);
  expect(
    await attempt({ ...config, host: '127.0.0.1', ssl: 'verify-full', caCertificate }),
  ).toMatchObject(untrusted);
  await server.remove();
});
