import { Client } from 'pg';
import type {
  BulkRead,
  CallContext,
  Consistency,
  Source,
  SourceRequest,
  SplitRange,
} from '../../../connectors/connector.js';
import type { PostgresConfig } from '../../../connectors/postgres/manifest.js';
import { makeSource } from '../../../connectors/postgres/source.js';
import type { SourceConfig } from '../../../connectors/tableNodes.js';
import { RunFailure } from '../../../core/failures.js';
import type { Failure } from '../../../core/failures.js';
import { makeAddressPolicy, parseCidrs } from '../../../net/addressPolicy.js';
import { makeDialer } from '../../../net/dial.js';
import { createEmptyDatabase } from '../../support/database.js';
import { localDirectories } from '../../support/anywhere.js';

export const net = makeDialer(makeAddressPolicy(parseCidrs('127.0.0.0/8,::1/128')));

export const configOf = (url: string): PostgresConfig => {
  const { hostname, port, pathname, username, password } = new URL(url);
  return {
    host: hostname,
    port: Number(port),
    database: pathname.slice(1),
    user: username,
    password,
  };
};

export const context = (signal = new AbortController().signal): CallContext => ({
  signal,
  log: { info: () => undefined, warn: () => undefined },
});

export const openSource = (
  config: PostgresConfig,
  maxRowBytes = 64 * 1024 * 1024,
): Source<SourceConfig> =>
  makeSource(config, { net, role: 'source', maxRowBytes, localDirectories });

export interface SourceDatabase {
  config: PostgresConfig;
  /** Someone else's connection, who makes the tables and changes them meanwhile. */
  admin: Client;
  source: Source<SourceConfig>;
  /** Another connection of the administrator. */
  connect: () => Promise<Client>;
  drop: () => Promise<void>;
}

export const startSourceDatabase = async (): Promise<SourceDatabase> => {
  const database = await createEmptyDatabase();
  const connect = async (): Promise<Client> => {
    const client = new Client({ connectionString: database.url, connectionTimeoutMillis: 10_000 });
    await client.connect();
    return client;
  };
  const admin = await connect();
  // The settings a source reads with: what `::text` gives is then comparable.
  await admin.query(`set timezone = 'UTC'; set intervalstyle = 'postgres_verbose';
    set lc_monetary = 'C'; set bytea_output = 'hex'`);
  const config = configOf(database.url);
  return {
    config,
    admin,
    source: openSource(config),
    connect,
    drop: async () => {
      await admin.end();
      await database.drop();
    },
  };
};

export const failureOf = async (work: Promise<unknown>): Promise<Failure> => {
  try {
    await work;
  } catch (error) {
    if (error instanceof RunFailure) return error.failure;
    throw error;
  }
  throw new Error('it went well');
};

export const bytesOf = async (read: BulkRead): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of read.chunks) chunks.push(chunk);
  return Buffer.concat(chunks);
};

/** The rows of csv in the dialect of the interface; null is null and "" is an empty text. */
export const parseCsv = (text: string): (string | null)[][] => {
  const rows: (string | null)[][] = [];
  let row: (string | null)[] = [];
  const field = /"((?:[^"]|"")*)"([,\n])|([^",\n]*)([,\n])/gy;
  while (field.lastIndex < text.length) {
    const at = field.lastIndex;
    const match = field.exec(text);
    if (!match) throw new Error(`not csv at ${at}: ${text.slice(at, at + 40)}`);
    const [, quoted, afterQuoted, plain] = match;
    row.push(quoted === undefined ? plain || null : quoted.replaceAll('""', '"'));
    if ((afterQuoted ?? match[4]) === '\n') {
      rows.push(row);
      row = [];
    }
  }
  return rows;
};

export const rowsOf = async (
  source: Source<SourceConfig>,
  request: SourceRequest<SourceConfig>,
  range: SplitRange,
  snapshot?: string,
): Promise<(string | null)[][]> => {
  const options = { format: 'csv' as const, ...(snapshot === undefined ? {} : { snapshot }) };
  const read = source.readBulk(request, range, options, context());
  const rows = parseCsv((await bytesOf(read)).toString());
  expect(read.counts().rows).toBe(rows.length);
  return rows;
};

export const rangesOf = async (
  source: Source<SourceConfig>,
  request: SourceRequest<SourceConfig>,
  consistency: Consistency,
  targetBytes: number,
  snapshot?: string,
): Promise<readonly SplitRange[]> => {
  const options = { consistency, targetBytes, ...(snapshot === undefined ? {} : { snapshot }) };
  const { ranges } = await source.splits(request, options, context());
  // They are kept as JSON between the plan and the reads.
  return JSON.parse(JSON.stringify(ranges)) as SplitRange[];
};

/** Everything in one split. */
export const readWhole = async (
  source: Source<SourceConfig>,
  request: SourceRequest<SourceConfig>,
): Promise<(string | null)[][]> => {
  const [range] = await rangesOf(source, request, 'single', 1);
  if (!range) throw new Error('no split');
  return rowsOf(source, request, range);
};
