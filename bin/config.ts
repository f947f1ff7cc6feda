import { availableParallelism, totalmem } from 'node:os';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { stagingConnection } from '../engine/staging/address.js';
import type { StagingCredentials } from '../engine/staging/address.js';

const MiB = 1024 ** 2;
const GiB = 1024 ** 3;

/** All configuration, read once by a composition root and handed down as values. */
export interface Config {
  databaseUrl: string;
  databasePool: number;
  masterKey: string;
  temporal: { address: string; namespace: string };
  queuePrefix: string;
  http: { host: string; port: number; basePrefix: string };
  limits: { runs: number; pipelines: number; connections: number };
  bootstrap: {
    organization: string;
    email: string;
    password: string | undefined;
    apiKey: string | undefined;
  };
  egressAllowCidrs: string;
  logLevel: string;
  engine: {
    staging: string;
    stagingCredentials: StagingCredentials;
    stagingMaxBytes: number;
    scratch: string;
    maxRowBytes: number;
    localDirectories: { allowed: readonly string[]; refused: readonly string[] };
    /** Of all DuckDB processes of a worker together. */
    memoryBytes: number;
  };
  work: {
    batchSlots: number;
    splitBytes: number;
    splitsPerExecution: number;
    heartbeatSeconds: number;
    dispatchTickMs: number;
    silentSeconds: number;
    drainSeconds: number;
  };
}

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

export type Env = Readonly<Record<string, string | undefined>>;

/** Reads every variable before it complains, so that one start shows everything that is wrong. */
const makeReader = (env: Env) => {
  const problems: string[] = [];

  const text = (name: string, fallback: string): string => env[name]?.trim() || fallback;

  return {
    problems,
    text,
    optional: (name: string): string | undefined => env[name]?.trim() || undefined,

    required: (name: string, why: string): string => {
      const value = text(name, '');
      if (value === '') problems.push(`${name} is not set: ${why}`);
      return value;
    },

    integer: (name: string, fallback: number, min: number, max: number): number => {
      const raw = text(name, String(fallback));
      const value = Number(raw);
      if (/^\d+$/.test(raw) && value >= min && value <= max) return value;
      problems.push(`${name} is "${raw}": expected a whole number from ${min} to ${max}`);
      return fallback;
    },

    matching: (name: string, fallback: string, form: RegExp, expected: string): string => {
      const value = text(name, fallback);
      if (!form.test(value)) problems.push(`${name} is "${value}": expected ${expected}`);
      return value;
    },
  };
};

/** All of one origin: a token belongs to the key that it was given with. */
const stagingCredentials = (read: (name: string) => string | undefined): StagingCredentials => {
  const origin = read('FLX_STAGING_ACCESS_KEY_ID') === undefined ? 'AWS' : 'FLX_STAGING';
  return {
    accessKeyId: read(`${origin}_ACCESS_KEY_ID`),
    secretAccessKey: read(`${origin}_SECRET_ACCESS_KEY`),
    sessionToken: read(`${origin}_SESSION_TOKEN`),
  };
};

/** Only workers need the credentials, and say it when they open the store. */
const stagingProblems = ({ engine }: Config): string[] => {
  try {
    stagingConnection(engine.staging, { accessKeyId: 'any', secretAccessKey: 'any' });
    return [];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
};

export const loadConfig = (env: Env): Config => {
  const read = makeReader(env);
  const dataDirectory = resolve(read.text('FLX_DATA_DIR', '.fluxline'));
  const config: Config = {
    databaseUrl: read.required('DATABASE_URL', 'the metadata database, postgres://…'),
    databasePool: read.integer('FLX_DATABASE_POOL', 10, 2, 500),
    masterKey: read.required(
      'FLX_MASTER_KEY',
      '32 random bytes in base64 that seal all secrets; keep it, the database is unreadable without',
    ),
    temporal: {
      address: read.text('TEMPORAL_ADDRESS', '127.0.0.1:7233'),
      namespace: read.text('TEMPORAL_NAMESPACE', 'default'),
    },
    queuePrefix: read.matching(
      'FLX_QUEUE_PREFIX',
      '',
      /^[\w.-]{0,64}$/,
      'up to 64 letters, digits, dots, dashes and underscores',
    ),
    http: {
      host: read.text('FLX_HTTP_HOST', '127.0.0.1'),
      port: read.integer('FLX_HTTP_PORT', 8080, 0, 65535),
      basePrefix: read.matching(
        'FLX_BASE_PREFIX',
        '',
        /^(\/[\w.-]+)*$/,
        'segments like /v1, without a slash at the end',
      ),
    },
    limits: {
      runs: read.integer('FLX_MAX_CONCURRENT_RUNS', 10, 1, 100_000),
      pipelines: read.integer('FLX_MAX_PIPELINES', 1000, 0, 10_000_000),
      connections: read.integer('FLX_MAX_CONNECTIONS', 200, 0, 10_000_000),
    },
    bootstrap: {
      organization: read.text('FLX_BOOTSTRAP_ORGANIZATION', 'Default'),
      email: read.text('FLX_BOOTSTRAP_EMAIL', 'owner@localhost'),
      password: read.optional('FLX_BOOTSTRAP_PASSWORD'),
      apiKey: read.optional('FLX_BOOTSTRAP_API_KEY'),
    },
    egressAllowCidrs: read.text('FLX_EGRESS_ALLOW_CIDRS', ''),
    logLevel: read.matching(
      'FLX_LOG_LEVEL',
      'info',
      /^(trace|debug|info|warn|error|fatal|silent)$/,
      'trace, debug, info, warn, error, fatal or silent',
    ),
    engine: {
      staging: read.text('FLX_STAGING_URL', join(dataDirectory, 'staging')),
      stagingCredentials: stagingCredentials(read.optional),
      stagingMaxBytes: read.integer('FLX_STAGING_MAX_BYTES', 20 * GiB, 1024, 1024 ** 5),
      scratch: read.text('FLX_SCRATCH_DIR', join(dataDirectory, 'scratch')),
      localDirectories: {
        allowed: read.text('FLX_LOCAL_DIRECTORIES', '').split(delimiter).filter(isAbsolute),
        // Ours, and what the kernel tells about processes and devices.
        refused: [dataDirectory, '/proc', '/sys', '/dev'],
      },
      maxRowBytes: read.integer('FLX_MAX_ROW_BYTES', 64 * MiB, 1024, GiB),
      memoryBytes: read.integer(
        'FLX_ENGINE_MEMORY',
        Math.floor(totalmem() / 4),
        64 * MiB,
        1024 ** 4,
      ),
    },
    work: {
      batchSlots: read.integer('FLX_BATCH_SLOTS', availableParallelism(), 1, 1024),
      splitBytes: read.integer('FLX_SPLIT_BYTES', 64 * MiB, 1024, GiB),
      splitsPerExecution: read.integer('FLX_SPLITS_PER_EXECUTION', 500, 1, 2000),
      heartbeatSeconds: read.integer('FLX_HEARTBEAT_SECONDS', 30, 1, 300),
      dispatchTickMs: read.integer('FLX_DISPATCH_TICK_MS', 5_000, 50, 60_000),
      silentSeconds: read.integer('FLX_SILENT_SECONDS', 30, 1, 3600),
      drainSeconds: read.integer('FLX_DRAIN_SECONDS', 30, 1, 3600),
    },
  };
  read.problems.push(...stagingProblems(config));
  if (read.problems.length > 0) throw new ConfigError(read.problems.join('\n'));
  return config;
};
