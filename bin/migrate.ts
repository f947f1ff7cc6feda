import { openDatabase } from '../db/knex.js';
import { migrate } from '../db/migrations/index.js';
import { makeRepos } from '../db/repos/index.js';
import { makeInTransaction } from '../db/tx.js';
import { openBox } from './box.js';
import { bootstrap, checkMasterKey } from './bootstrap.js';
import { main } from './main.js';

/** Migrations and, on an empty database, the bootstrap; replicas would race, so this is one process. */
main('migrate', async (config) => {
  const db = openDatabase({
    url: config.databaseUrl,
    poolSize: 2,
    applicationName: 'fluxline-migrate',
    statementTimeout: 0,
  });
  try {
    const box = openBox(config);
    const ran = await migrate(db);
    await checkMasterKey(makeRepos(db), box);
    const apiKey = await bootstrap(config, makeInTransaction(db), box);
    console.log(JSON.stringify({ migrations: ran }));
    console.log(JSON.stringify({ bootstrapped: apiKey !== undefined, ...(apiKey && { apiKey }) }));
  } finally {
    await db.destroy();
  }
  return undefined;
});
