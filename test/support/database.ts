import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, DatabaseError } from 'pg';
import { handedOver } from './environment.js';
import { TEMPLATE_DATABASE, TEST_ROLE, TEST_ROLE_PASSWORD } from './fixed.js';

export interface TestDatabase {
  readonly url: string;
  drop: () => Promise<void>;
}

const OBJECT_IN_USE = '55006'; // an autovacuum worker in the template, for a moment
const ATTEMPTS = 20;

/** A migrated and bootstrapped metadata database of one's own, as the role the service uses. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const name = freshName();
  await asAdministrator((admin) => copyTemplate(admin, name));
  const { host } = new URL(handedOver('FLX_TEST_PG_URL'));
  return describe(name, `postgres://${TEST_ROLE}:${TEST_ROLE_PASSWORD}@${host}/${name}`);
}

/** An empty database for sources and destinations, as its server's administrator. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  const name = freshName();
  await asAdministrator((admin) => admin.query(`CREATE DATABASE ${name}`));
  const url = new URL(handedOver('FLX_TEST_PG_URL'));
  url.pathname = `/${name}`;
  return describe(name, url.href);
}

const freshName = (): string => `test_${randomBytes(6).toString('hex')}`;

async function copyTemplate(admin: Client, name: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await admin.query(`CREATE DATABASE ${name} OWNER ${TEST_ROLE} TEMPLATE ${TEMPLATE_DATABASE}`);
      return;
    } catch (error) {
      const inUse = error instanceof DatabaseError && error.code === OBJECT_IN_USE;
      if (!inUse || attempt === ATTEMPTS) throw error;
      await delay(100);
    }
  }
}

const describe = (name: string, url: string): TestDatabase => ({
  url,
  drop: async () => {
    await asAdministrator((admin) => admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
  },
});

async function asAdministrator(work: (admin: Client) => Promise<unknown>): Promise<void> {
  const admin = new Client({
    connectionString: handedOver('FLX_TEST_PG_URL'),
    connectionTimeoutMillis: 15_000,
    query_timeout: 60_000,
  });
  await admin.connect();
  try {
    await work(admin);
  } finally {
    await admin.end();
  }
}
