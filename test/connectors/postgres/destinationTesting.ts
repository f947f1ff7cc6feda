import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import type {
  BulkRead,
  CallContext,
  Column,
  Delivery,
  Destination,
  Marker,
  SpooledRows,
  WriteResult,
} from '../../../connectors/connector.js';
import { makeDestination } from '../../../connectors/postgres/destination.js';
import type { PostgresConfig } from '../../../connectors/postgres/manifest.js';
import type { TableConfig } from '../../../connectors/tableNodes.js';
import { parseDataType } from '../../../core/dataTypes.js';
import { createEmptyDatabase } from '../../support/database.js';
import { configOf, net } from './sourceTesting.js';
import { localDirectories } from '../../support/anywhere.js';

export type Row = readonly (string | number | null)[];

export interface TargetDatabase {
  url: string;
  config: PostgresConfig;
  /** Someone else's connection. */
  admin: Client;
  destination: Destination<TableConfig>;
  /** Rows of a query, each as an array. */
  ask: (sql: string) => Promise<unknown[][]>;
  drop: () => Promise<void>;
}

export const openDestination = (config: PostgresConfig): Destination<TableConfig> =>
  makeDestination(config, {
    net,
    role: 'destination',
    maxRowBytes: 64 * 1024 * 1024,
    localDirectories,
  });

export const startTargetDatabase = async (): Promise<TargetDatabase> => {
  const database = await createEmptyDatabase();
  const admin = new Client({ connectionString: database.url, connectionTimeoutMillis: 10_000 });
  await admin.connect();
  const config = configOf(database.url);
  return {
    url: database.url,
    config,
    admin,
    destination: openDestination(config),
    ask: async (sql) => (await admin.query<unknown[]>({ text: sql, rowMode: 'array' })).rows,
    drop: async () => {
      await admin.end();
      await database.drop();
    },
  };
};

/** What a connector says of its work is kept in `said`. */
export const listening = (said: string[]): CallContext => ({
  signal: new AbortController().signal,
  log: { info: (message) => said.push(message), warn: (message) => said.push(message) },
});

/** `id integer`, `name text?`: with a question mark a column may be NULL. */
export const columnsOf = (...words: string[]): Column[] =>
  words.map((text) => {
    const [, name = '', word = '', nullable] = /^(.+) (\S+?)(\?)?$/s.exec(text) ?? [];
    const type = parseDataType(word);
    if (!type) throw new Error(`no type: ${text}`);
    return { name, type, nullable: nullable !== undefined };
  });

const field = (value: string | number | null): string =>
  value === null
    ? ''
    : /^[^",\r\n]+$/.test(String(value))
      ? String(value)
      : `"${String(value).replaceAll('"', '""')}"`;

export const csvOf = (rows: readonly Row[]): string =>
  rows.map((row) => `${row.map(field).join(',')}\n`).join('');

/** A split as a source gives it, in small chunks that end anywhere. */
export const readOf = (
  columns: readonly Column[],
  rows: readonly Row[],
  before: () => Promise<void> = async () => undefined,
): BulkRead => {
  const bytes = Buffer.from(csvOf(rows));
  async function* chunks(): AsyncGenerator<Buffer> {
    await before();
    for (let at = 0; at < bytes.length; at += 1000) yield bytes.subarray(at, at + 1000);
  }
  return {
    format: 'csv',
    columns,
    chunks: chunks(),
    counts: () => ({ rows: rows.length, bytes: bytes.length }),
    rejected: () => [],
  };
};

export const spooled = (columns: readonly Column[], rows: readonly Row[]): SpooledRows => ({
  count: rows.length,
  columns,
  read: (from, to) => readOf(columns, rows.slice(from, to)).chunks,
});

export const newDelivery = (generation = 0): Delivery => ({
  rootJobId: randomUUID(),
  stage: 'stage 1',
  generation,
});

export const splitOf = (delivery: Delivery, split: number): Marker => ({ ...delivery, split });

const noProgress = (): void => undefined;

/** One table, one node, one delivery after the other. */
export const loader = (
  destination: Destination<TableConfig>,
  node: TableConfig,
  columns: readonly Column[],
  said: string[] = [],
) => {
  const ctx = listening(said);
  const prepare = (delivery: Delivery) => destination.prepare(node, columns, delivery, ctx);
  const write = (
    delivery: Delivery,
    split: number,
    rows: readonly Row[],
    before?: () => Promise<void>,
  ): Promise<WriteResult> =>
    destination.writeBulk(
      node,
      splitOf(delivery, split),
      readOf(columns, rows, before),
      noProgress,
      ctx,
    );
  return {
    prepare,
    write,
    publish: (delivery: Delivery) =>
      destination.publish?.(node, delivery, ctx) ?? Promise.reject(new Error('no publish')),
    startOver: (delivery: Delivery) => destination.startOver(node, delivery, ctx),
    undo: (delivery: Delivery) => destination.undo(node, delivery, ctx),
    committed: (delivery: Delivery) => destination.committed(delivery, ctx),
    findBadRows: (delivery: Delivery, split: number, rows: readonly Row[], most = 1000) =>
      destination.findBadRows?.(
        node,
        splitOf(delivery, split),
        spooled(columns, rows),
        most,
        ctx,
      ) ?? Promise.reject(new Error('no findBadRows')),
    /** All of a delivery, a split for each part. */
    deliver: async (...parts: (readonly Row[])[]): Promise<Delivery> => {
      const delivery = newDelivery();
      const { publishes } = await prepare(delivery);
      for (const [split, rows] of parts.entries()) await write(delivery, split, rows);
      if (publishes) await destination.publish?.(node, delivery, ctx);
      return delivery;
    },
  };
};
