import { openDatabase } from '../db/knex.js';
import { makeRepos } from '../db/repos/index.js';
import { makeInTransaction } from '../db/tx.js';
import { checkMasterKey } from './bootstrap.js';
import { openBox } from './box.js';
import type { Config } from './config.js';

/** What API and worker both stand on: the metadata, and the box its secrets are sealed in. */
export const openParts = async (config: Config, applicationName: string) => {
  const db = openDatabase({
    url: config.databaseUrl,
    poolSize: config.databasePool,
    applicationName,
  });
  const repos = makeRepos(db);
  const box = openBox(config);
  await checkMasterKey(repos, box);
  return { db, repos, inTransaction: makeInTransaction(db), box };
};
