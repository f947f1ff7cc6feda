import type { Knex } from 'knex';
import { foundation } from './0001_foundation.js';
import { resources } from './0002_resources.js';
import { jobs } from './0003_jobs.js';
import { engine } from './0004_engine.js';
import { connections } from './0005_connections.js';

export interface Migration {
  name: string;
  sql: string;
}

/** Forward only: what has run somewhere is never edited, only followed by another. */
const migrations: readonly Migration[] = [foundation, resources, jobs, engine, connections];

const source: Knex.MigrationSource<Migration> = {
  getMigrations: async () => [...migrations],
  getMigrationName: ({ name }) => name,
  getMigration: async ({ sql }) => ({
    up: async (trx: Knex) => {
      await trx.raw(sql);
    },
    down: async () => {
      throw new Error('Migrations only go forward.');
    },
  }),
};

const settings = { migrationSource: source, tableName: 'migrations' };

/** Runs what is missing and says what ran. */
export const migrate = async (db: Knex): Promise<readonly string[]> => {
  const [, ran] = (await db.migrate.latest(settings)) as [number, string[]];
  return ran;
};

export const pendingMigrations = async (db: Knex): Promise<readonly string[]> => {
  const [, pending] = (await db.migrate.list(settings)) as [unknown, Migration[]];
  return pending.map(({ name }) => name);
};
