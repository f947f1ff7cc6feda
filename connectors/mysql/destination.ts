import type { CallContext, Destination, OpenDeps } from '../connector.js';
import { findBadRows } from './badRows.js';
import { committedSplits } from './fence.js';
import type { MysqlConfig } from './manifest.js';
import { ensureMarkers, hasMarkers } from './markers.js';
import { prepareTable } from './prepare.js';
import { publish } from './publish.js';
import type { Session } from './session.js';
import { tableNameOf } from './tableConfig.js';
import type { TableConfig } from '../tableNodes.js';
import { inSession, transact } from './transaction.js';
import { advance, undoDelivery } from './undo.js';
import { writeSplit } from './writeSplit.js';

export const makeDestination = (config: MysqlConfig, deps: OpenDeps): Destination<TableConfig> => {
  const use = <T>(ctx: CallContext, work: (session: Session) => Promise<T>): Promise<T> =>
    inSession(config, deps, ctx, work);

  return {
    formats: ['csv'],

    prepare: (node, columns, delivery, ctx) =>
      use(ctx, (session) =>
        prepareTable({ session, node, name: tableNameOf(config, node), columns, delivery, ctx }),
      ),

    committed: (delivery, ctx) =>
      use(ctx, async (session) => {
        if (!(await hasMarkers(session))) return new Map();
        const all = await committedSplits(session, delivery);
        return new Map([...all].filter(([split]) => split >= 0));
      }),

    writeBulk: (node, marker, read, progress, ctx) =>
      use(ctx, (session) =>
        transact(session, () =>
          writeSplit(session, node, tableNameOf(config, node), marker, read, progress),
        ),
      ),

    findBadRows: (node, marker, rows, most, ctx) =>
      use(ctx, (session) =>
        transact(
          session,
          () => findBadRows(session, node, tableNameOf(config, node), marker, rows, most, ctx),
          'rollback',
        ),
      ),

    publish: (node, delivery, ctx) =>
      use(ctx, (session) => publish(session, node, tableNameOf(config, node), delivery, ctx)),

    startOver: (node, delivery, ctx) =>
      use(ctx, async (session) => {
        await ensureMarkers(session);
        return advance(session, node, tableNameOf(config, node), delivery, ctx);
      }),

    undo: (node, delivery, ctx) =>
      use(ctx, (session) => undoDelivery(session, node, tableNameOf(config, node), delivery, ctx)),
  };
};
