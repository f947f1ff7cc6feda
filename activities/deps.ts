import type { Logger } from 'pino';
import type { LocalDirectories, Net } from '../connectors/connector.js';
import type { openConnector } from '../connectors/registry.js';
import type { Repos } from '../db/repos/index.js';
import type { InTransaction } from '../db/tx.js';
import type { DuckDb } from '../engine/duckdb/program.js';
import type { MakeScratch } from '../engine/staging/scratch.js';
import type { Staging } from '../engine/staging/staging.js';
import type { Box } from '../secrets/box.js';

export interface ActivityDeps {
  repos: Repos;
  inTransaction: InTransaction;
  box: Box;
  openConnector: typeof openConnector;
  net: Net;
  engine: Engine;
  log: Logger;
  settings: ActivitySettings;
}

export interface ActivitySettings {
  /** How often a long activity shows a sign of life. */
  heartbeatMs: number;
  /** About how much of a source is read, written and retried as one. */
  splitBytes: number;
  /** How many splits one workflow execution works through before it continues as new. */
  splitsPerExecution: number;
  /** Full name of the queue whose slots bound the window of a run. */
  batchQueue: string;
}

/** What the engine works with on this host. */
export interface Engine {
  duckdb: DuckDb;
  staging: Staging;
  scratch: MakeScratch;
  maxRowBytes: number;
  localDirectories: LocalDirectories;
}
