import type { ConnectorModule, Destination } from '../connector.js';
import { copySplit } from './copy.js';
import type { PostgresConfig } from './manifest.js';
import { ensureMarkers, readMarkers } from './markers.js';
import type { TableName } from './quote.js';
import { ensureTable } from './table.js';
import { inTransaction } from './transaction.js';
import { undoStage } from './undo.js';

/** What of a `destination.table` node concerns this connector. */
interface TableConfig {
  table: string;
  schema?: string;
  createTable?: boolean;
}

export const connector: ConnectorModule = {
  open: (connection, { net }) => {
    const config = connection as PostgresConfig;
    const nameOf = ({ schema, table }: TableConfig): TableName => ({
      schema: schema ?? config.schema ?? 'public',
      table,
    });

    const destination: Destination<TableConfig> = {
      formats: ['csv'],

      prepare: async (node, columns, ctx) => {
        const name = nameOf(node);
        const outcome = await inTransaction(config, net, ctx, async (client) => {
          await ensureMarkers(client);
          return ensureTable(client, name, columns, node.createTable ?? true);
        });
        if (outcome === 'created') ctx.log.info(`Created table ${name.schema}.${name.table}.`);
      },

      committed: (rootJobId, stage, ctx) =>
        inTransaction(config, net, ctx, (client) => readMarkers(client, rootJobId, stage)),

      writeBulk: (node, marker, read, progress, ctx) =>
        inTransaction(config, net, ctx, (client) =>
          copySplit(client, nameOf(node), marker, read, progress, ctx),
        ),

      undo: (node, rootJobId, stage, ctx) =>
        inTransaction(config, net, ctx, (client) =>
          undoStage(client, nameOf(node), rootJobId, stage),
        ),
    };

    // Connections live as long as one call; there is nothing to close between them.
    return { destination: destination, close: async () => undefined };
  },
};
