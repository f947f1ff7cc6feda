import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { SplitCounts } from '../core/metrics.js';
import type { BulkRead, CallContext } from '../connectors/connector.js';
import { toDocuments } from './documents/output.js';
import type { DuckStatement } from './duckdb/program.js';
import { spooledRows } from './csv/rowOffsets.js';
import type { OpenDestination } from './ends.js';
import { loadTable } from './loadTable.js';
import type { SplitFile, SplitOutcome } from './outcome.js';
import type { SplitDesk, SplitServices, SplitWork } from './runSplit.js';
import { copyCsvSql } from './transform/csv.js';
import { copyDatasetSql, typedSelect } from './transform/parquet.js';
import { namedTextSelect } from './transform/csv.js';

/** Where the rows of a split's query go. */
export interface DuckOutput {
  /** Has DuckDB write them into an empty directory. */
  copy(sql: string, directory: string): DuckStatement;
  /** Takes them from there to where they belong. */
  deliver(written: Written, ctx: CallContext): Promise<SplitOutcome>;
}

/** What DuckDB has written, where, and what became of the other rows. */
export interface Written {
  directory: string;
  rows: number;
  counts: SplitCounts;
}

type Deliver = DuckOutput['deliver'];

const chunkBytes = 256 * 1024;

const csvRead = (path: string, rows: number, columns: BulkRead['columns']): BulkRead => {
  let bytes = 0;
  async function* chunks(): AsyncGenerator<Buffer> {
    for await (const chunk of createReadStream(path, { highWaterMark: chunkBytes })) {
      bytes += (chunk as Buffer).length;
      yield chunk as Buffer;
    }
  }
  return {
    format: 'csv',
    columns,
    chunks: chunks(),
    counts: () => ({ rows, bytes }),
    rejected: () => [],
  };
};

const toTable = (
  work: SplitWork,
  to: OpenDestination & { kind: 'table' },
  { letters }: SplitDesk,
  { progress, noteLoss }: SplitServices,
): DuckOutput => {
  const { columns } = work.stage.way;
  const fileIn = (directory: string): string => join(directory, 'out.csv');
  const deliver: Deliver = async ({ directory, rows, counts: before }, ctx) => {
    const path = fileIn(directory);
    const { rowsFiltered } = before;
    const { counts, coalesced, already } = await loadTable(
      {
        ...to,
        marker: work.marker,
        letters,
        read: () => csvRead(path, rows, columns),
        spool: () => spooledRows(path, columns, ctx.signal),
        settle: async () => {
          if (letters.count() === before.rowsFailed) return;
          await letters.save();
          await noteLoss({ rowsFiltered, rowsFailed: letters.count() });
        },
        progress: (sent) =>
          progress({ ...before, rowsWritten: sent.rows, bytesWritten: sent.bytes }),
      },
      ctx,
    );
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
  };
  return {
    copy: (sql, directory) => ({ sql: copyCsvSql(sql, columns, fileIn(directory)) }),
    deliver,
  };
};

const toFiles = (
  { stage, marker, attempt }: SplitWork,
  { config, destination }: OpenDestination & { kind: 'files' },
): DuckOutput => {
  const { columns } = stage.way;
  const select = destination.held(config) === 'typed' ? typedSelect : namedTextSelect;
  const deliver: Deliver = async ({ directory, rows, counts: before }, ctx) => {
    const winner = { split: marker.split, attempt };
    const { bytes } = await destination.upload(config, marker, winner, { directory, rows }, ctx);
    return {
      counts: { ...before, rowsWritten: rows, bytesWritten: bytes },
      already: false,
      output: { attempt, files: [] },
    };
  };
  return {
    copy: (sql, directory) =>
      destination.copy({ config, sql: select(sql, columns), columns, directory }),
    deliver,
  };
};

/** DuckDB numbers the files of a folder in the order of their rows. */
const numberIn = (name: string): number => Number(/\d+/.exec(name)?.[0] ?? 0);

/** About how large the files are that a query over whole inputs leaves: each is a split of the next. */
const datasetFileBytes = 64 * 1024 * 1024;

const toDataset = (
  { stage, marker, attempt, index }: SplitWork,
  { staging }: SplitServices,
): DuckOutput => {
  const folderIn = (directory: string): string => join(directory, 'dataset');
  const place = `${index}`;
  const prefix = `g${marker.generation}-${String(marker.split).padStart(5, '0')}-a${attempt}`;
  const deliver: Deliver = async ({ directory, rows, counts: before }, ctx) => {
    const folder = folderIn(directory);
    const files: SplitFile[] = [];
    const names = (await readdir(folder)).sort((a, b) => numberIn(a) - numberIn(b));
    for (const [part, name] of names.entries()) {
      const path = join(folder, name);
      const { size } = await stat(path);
      const file = `${prefix}-${String(part).padStart(5, '0')}.parquet`;
      await staging.put({ job: marker.rootJobId, stage: place, file }, path, ctx);
      files.push({ stage: place, name: file, rows: names.length === 1 ? rows : null, bytes: size });
    }
    const bytesStaged = files.reduce((sum, { bytes }) => sum + bytes, 0);
    return { counts: { ...before, bytesStaged }, already: false, output: { attempt, files } };
  };
  return {
    copy: (sql, directory) => ({
      sql: copyDatasetSql(sql, stage.way.columns, folderIn(directory), datasetFileBytes),
    }),
    deliver,
  };
};

export const outputOf = (work: SplitWork, desk: SplitDesk, services: SplitServices): DuckOutput => {
  const to = work.ends.destination;
  if (!to) return toDataset(work, services);
  if (to.kind === 'documents') return toDocuments(work, to, desk, services);
  return to.kind === 'table' ? toTable(work, to, desk, services) : toFiles(work, to);
};
