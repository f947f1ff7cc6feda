import type pg from 'pg';
import type { CallContext, Destination, OpenDeps } from '../connector.js';
import { findBadRows } from './badRows.js';
import { committedSplits } from './fence.js';
import type { PostgresConfig } from './manifest.js';
import { ensureMarkers, hasMarkers } from './markers.js';
import { prepareTable } from './prepare.js';
import { publish } from './publish.js';
import { tableNameOf } from './tableConfig.js';
import type { TableConfig } from '../tableNodes.js';
import { inTransaction } from './transaction.js';
import { advance, undoDelivery } from './undo.js';
import { writeSplit } from './writeSplit.js';

/** Whatever the server or its users prefer: each statement has to see what is committed by then. */
const begin = 'begin isolation level read committed read write';

export const makeDestination = (
  config: PostgresConfig,
  deps: OpenDeps,
): Destination<TableConfig> => {
  const transact = <T>(ctx: CallContext, work: (client: pg.Client) => Promise<T>): Promise<T> =>
    inTransaction(config, deps, ctx, work, begin);

  return {
    formats: ['postgres-binary', 'csv'],

    prepare: (node, columns, delivery, ctx) =>
      transact(ctx, (client) =>
        prepareTable({ client, node, name: tableNameOf(config, node), columns, delivery, ctx }),
      ),

    committed: (delivery, ctx) =>
      transact(ctx, async (client) => {
        if (!(await hasMarkers(client))) return new Map();
        const all = await committedSplits(client, delivery);
        return new Map([...all].filter(([split]) => split >= 0));
      }),

    writeBulk: (node, marker, read, progress, ctx) =>
      transact(ctx, (client) =>
        writeSplit(client, node, tableNameOf(config, node), marker, read, progress, ctx),
      ),

    findBadRows: (node, marker, rows, most, ctx) =>
      transact(ctx, (client) =>
        findBadRows(client, node, tableNameOf(config, node), marker, rows, most, ctx),
      ),

    publish: (node, delivery, ctx) =>
      transact(ctx, (client) => publish(client, node, tableNameOf(config, node), delivery, ctx)),

    startOver: (node, delivery, ctx) =>
      transact(ctx, async (client) => {
        await ensureMarkers(client);
        return advance(client, node, tableNameOf(config, node), delivery, ctx);
      }),

    undo: (node, delivery, ctx) =>
      transact(ctx, (client) =>
        undoDelivery(client, node, tableNameOf(config, node), delivery, ctx),
      ),
  };
};
