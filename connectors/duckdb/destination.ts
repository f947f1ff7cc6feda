import type { CallContext, Destination, OpenDeps } from '../connector.js';
import { findBadRows } from './badRows.js';
import { inDatabase } from './database.js';
import type { Database } from './database.js';
import type { DuckdbConfig } from './manifest.js';
import { prepareTable } from './prepare.js';
import { publish } from './publish.js';
import { readStage } from './stages.js';
import { tableNameOf } from './tableConfig.js';
import type { TableConfig } from '../tableNodes.js';
import { advance, undoDelivery } from './undo.js';
import { writeSplit } from './writeSplit.js';

export const makeDestination = (config: DuckdbConfig, deps: OpenDeps): Destination<TableConfig> => {
  const { path } = config;
  const use = <T>(ctx: CallContext, work: (database: Database) => Promise<T>): Promise<T> =>
    inDatabase(config, deps, ctx, work);
  const nameOf = (node: TableConfig) => tableNameOf(config, node);

  return {
    formats: ['csv'],

    prepare: (node, columns, delivery, ctx) =>
      use(ctx, (database) =>
        prepareTable({ database, node, name: nameOf(node), columns, delivery, ctx }),
      ),

    committed: (delivery, ctx) =>
      use(ctx, async (database) => {
        const stage = await readStage(database, delivery);
        const isCurrent = stage?.generation === delivery.generation && !stage.closed;
        return new Map(isCurrent ? [...stage.markers].filter(([split]) => split >= 0) : []);
      }),

    writeBulk: (node, marker, read, progress, ctx) =>
      use(ctx, (database) =>
        writeSplit({ database, deps, node, name: nameOf(node), marker }, read, progress, path, ctx),
      ),

    findBadRows: (node, marker, rows, most, ctx) =>
      use(ctx, (database) =>
        findBadRows({ database, deps, node, name: nameOf(node), marker }, rows, most, ctx),
      ),

    publish: (node, delivery, ctx) =>
      use(ctx, (database) => publish(database, deps, node, nameOf(node), delivery, path, ctx)),

    startOver: (node, delivery, ctx) =>
      use(ctx, (database) => advance(database, node, nameOf(node), delivery, ctx)),

    undo: (node, delivery, ctx) =>
      use(ctx, (database) => undoDelivery(database, node, nameOf(node), delivery, ctx)),
  };
};
