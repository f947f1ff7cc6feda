import { join } from 'node:path';
import { RunFailure } from '../../core/failures.js';
import type { DuckOutput } from '../duckOutputs.js';
import type { OpenDestination } from '../ends.js';
import { fileChunks } from '../files/localFiles.js';
import type { SplitDesk, SplitServices, SplitWork } from '../runSplit.js';
import { copyLinesSql } from './copyLines.js';
import { withPayload } from './linesAt.js';

const untold = (nodeId: string, sent: number, told: number): RunFailure =>
  new RunFailure({
    code: 'count_mismatch',
    class: 'internal',
    nodeId,
    message: `${sent} records were to be sent, and of ${told} it is known what became of them.`,
  });

/** Rows as lines of JSON in a file, sent record by record. */
export const toDocuments = (
  { stage, marker }: SplitWork,
  { nodeId, config, destination }: OpenDestination & { kind: 'documents' },
  { letters }: SplitDesk,
  { progress, noteLoss }: SplitServices,
): DuckOutput => {
  const { columns } = stage.way;
  const fileIn = (directory: string): string => join(directory, 'out.jsonl');
  return {
    copy: (sql, directory) => ({ sql: copyLinesSql(sql, columns, fileIn(directory)) }),

    deliver: async ({ directory, rows, counts: before }, ctx) => {
      const path = fileIn(directory);
      const { counts, coalesced, already, rejected } = await destination.write(
        config,
        marker,
        fileChunks(path),
        (sent) => progress({ ...before, rowsWritten: sent.rows, bytesWritten: sent.bytes }),
        ctx,
      );
      if (rejected.length > 0) {
        await letters.set(nodeId, await withPayload(rejected, fileChunks(path), columns));
        await letters.save();
        await noteLoss({ rowsFiltered: before.rowsFiltered, rowsFailed: letters.count() });
      }
      const told = counts.rows + coalesced + rejected.length;
      if (told !== rows) throw untold(nodeId, rows, told);
      return {
        counts: {
          ...before,
          rowsWritten: counts.rows,
          bytesWritten: counts.bytes,
          rowsCoalesced: coalesced,
        },
        already,
        output: null,
      };
    },
  };
};
