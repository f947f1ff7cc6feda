import type { Logger } from 'pino';
import type { LiveCallName, LiveCalls } from '../core/live.js';
import type { Principal, WorkspaceScope } from '../core/scope.js';
import type { FoundKey } from '../db/repos/apiKeys.js';
import type { Repos } from '../db/repos/index.js';
import type { InTransaction } from '../db/tx.js';
import type { NewApiKey } from '../secrets/apiKeys.js';
import type { Box } from '../secrets/box.js';

/** What the API is given. It opens no connection and reads no configuration of its own. */
export interface ApiPorts {
  /** Outside any transaction: for reads, and for what `prepare` looks up. */
  repos: Repos;
  inTransaction: InTransaction;
  live: Live;
  secrets: Secrets;
  /** After a commit that touched jobs: start or signal them now. The dispatcher's loop repeats what is lost. */
  kick: (jobIds: readonly string[]) => void;
  readiness: () => Promise<Readiness>;
  log: Logger;
}

/** Asks a worker and waits for the answer; `no_worker` where there is none. */
export type Live = <Call extends LiveCallName>(
  scope: WorkspaceScope,
  call: Call,
  question: LiveCalls[Call]['asks'],
  signal: AbortSignal,
) => Promise<LiveCalls[Call]['answers']>;

/** Sealing for what must come back, and making keys for what must not. */
export interface Secrets extends Pick<Box, 'seal' | 'open'> {
  newApiKey: () => NewApiKey;
}

/** What the authenticator looks keys up with. */
export interface Keys {
  /** Undefined for what cannot be a key at all: wrong form or checksum. */
  hash: (secret: string) => string | undefined;
  find: (hash: string) => Promise<FoundKey | undefined>;
  /** Notes that the key was used; the row is written at most once a minute. */
  touch: (principal: Principal) => Promise<void>;
}

export interface Readiness {
  ready: boolean;
  /** What a ready instance would have, in words: "database", "worker on queue control". */
  missing: readonly string[];
}
