import { spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';

const RUN = path.join(__dirname, '..', '..', 'servers', 'run.mjs');
/** A server that is not there yet is installed first. */
const START_TIMEOUT_MS = 900_000;

export interface PostgresReady {
  pid: number;
  port: number;
  adminUrl: string;
  pgdata: string;
}

export interface TemporalReady {
  pid: number;
  port: number;
  address: string;
  namespace: string;
  uiUrl: string | null;
}

export interface WebReady {
  pid: number;
  url: string;
  port: number;
  directory: string;
}

export interface MinioReady extends WebReady {
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}

export interface AzuriteReady extends WebReady {
  account: string;
  accountKey: string;
  endpoint: string;
}

export interface MariadbReady {
  pid: number;
  host: string;
  port: number;
  user: string;
  password: string;
}

export interface KafkaReady {
  pid: number;
  host: string;
  port: number;
  /** Of the listener that asks for a login. */
  loginPort: number;
  tlsPort: number | null;
  user: string;
  password: string;
  /** Of Kafka's own tools. */
  classPath: string;
}

export interface ServerKinds {
  azurite: AzuriteReady;
  fakeGcs: WebReady;
  kafka: KafkaReady;
  mariadb: MariadbReady;
  minio: MinioReady;
  postgres: PostgresReady;
  temporal: TemporalReady;
}

export interface ServerProcess<Ready> {
  /** What the server said when it was ready; `pid` is the server's own. */
  readonly ready: Ready;
  /** The process that keeps it: when this one is killed, nobody stops the server. */
  readonly keeperPid: number;
  readonly exited: Promise<unknown>;
  stop: () => Promise<void>;
}

/** Starts a server through `servers/run.mjs`; it stops when our end of the pipe closes. */
export async function startServer<Kind extends keyof ServerKinds>(
  kind: Kind,
  options: Record<string, unknown>,
): Promise<ServerProcess<ServerKinds[Kind]>> {
  const keeper = spawn(process.execPath, [RUN, kind, JSON.stringify(options)], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let complaints = '';
  keeper.stderr.on('data', (chunk: Buffer) => (complaints += chunk.toString('utf8')));
  const exited = new Promise((resolve) => keeper.once('exit', resolve));
  const ready = await new Promise<ServerKinds[Kind]>((resolve, reject) => {
    const limit = setTimeout(
      () => reject(new Error(`${kind} was not ready after ${START_TIMEOUT_MS / 1000} s`)),
      START_TIMEOUT_MS,
    );
    createInterface({ input: keeper.stdout }).once('line', (line) => {
      clearTimeout(limit);
      resolve(JSON.parse(line) as ServerKinds[Kind]);
    });
    keeper.once('close', () => {
      clearTimeout(limit);
      reject(new Error(complaints.trim() || `${kind} ended without a word`));
    });
  }).catch((error: unknown) => {
    keeper.stdin.end();
    throw error;
  });
  return {
    ready,
    keeperPid: keeper.pid ?? 0,
    exited,
    stop: async () => {
      keeper.stdin.end();
      await exited;
    },
  };
}
