/** The oldest and the newest PostgreSQL in full; those between as far as versions differ. */
import { conformance } from '../connectors/conformance/conformance.js';
import { startPostgres } from '../connectors/postgres/harness.js';

for (const major of [18, 13]) {
  conformance({
    connector: 'postgres',
    system: `PostgreSQL ${major}`,
    network: true,
    start: () => startPostgres(major),
  });
}

for (const major of [14, 15, 16, 17]) {
  conformance({
    connector: 'postgres',
    system: `PostgreSQL ${major}`,
    network: true,
    parts: ['connection', 'browse', 'read', 'copy'],
    start: () => startPostgres(major),
  });
}
