import type { Migration } from './index.js';

/** Questions and answers of live calls: of no use after a crash, and no rows for a log or a replica. */
export const connections: Migration = {
  name: '0005_connections',
  sql: `
alter table live_inputs set unlogged;
alter table live_results set unlogged;

-- Who uses a credential.
create index connections_by_credential on connections (workspace_id, credential_id)
  where credential_id is not null;
`,
};
