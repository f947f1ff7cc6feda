import { randomBytes, randomUUID } from 'node:crypto';
import pino from 'pino';
import type { Keys, ApiPorts } from '../../../api/ports.js';
import { AppError } from '../../../core/errors.js';
import type { Principal } from '../../../core/scope.js';
import type { AuditEntry } from '../../../db/repos/audit.js';
import type { FoundKey } from '../../../db/repos/apiKeys.js';
import type { ClaimResult, IdempotencyClaim } from '../../../db/repos/idempotency.js';
import type { Repos } from '../../../db/repos/index.js';
import { hashApiKey, newApiKey } from '../../../secrets/apiKeys.js';
import { makeBox } from '../../../secrets/box.js';
import { masterKeyFromBase64 } from '../../../secrets/masterKey.js';

interface Thing {
  id: string;
  name: string;
}

interface Stored {
  things: Thing[];
  audit: AuditEntry[];
  answers: Map<string, { bodyHash: string; status: number; sealed: string }>;
}

/** What the throw-away table's handlers call; cast to `Repos` in one place. */
export interface FakeRepos extends Pick<Repos, 'idempotency' | 'audit'> {
  things: { add: (name: string) => Thing; all: () => readonly Thing[] };
  touch: (jobId: string) => void;
}

export const fakeRepos = (repos: Repos): FakeRepos => repos as unknown as FakeRepos;

/**
 * Ports over memory that keep the two promises the mount relies on: a transaction that fails leaves
 * nothing, and a second claim on a key waits for the first.
 */
export const makeFakePorts = () => {
  const state: Stored = { things: [], audit: [], answers: new Map() };
  const running = new Map<string, Promise<void>>();
  const kicked: string[][] = [];
  const logged: Record<string, unknown>[] = [];
  const readiness = { ready: true, missing: [] as string[] };
  const found = new Map<string, FoundKey>();
  const counts = { finds: 0, touches: 0, transactions: 0 };
  let claimWaitMs = 5_000;

  const keyOf = ({ principal, route, key }: IdempotencyClaim): string =>
    [principal.workspaceId, principal.userId, route, key].join('|');

  const claimIn =
    (staged: Stored, ended: Promise<void>) =>
    async (claim: IdempotencyClaim): Promise<ClaimResult> => {
      const key = keyOf(claim);
      const other = running.get(key);
      if (other) {
        const late = Symbol('late');
        const timer = new Promise((resolve) => setTimeout(resolve, claimWaitMs, late).unref());
        if ((await Promise.race([other, timer])) === late) {
          throw new AppError('idempotency_in_progress', 'Still running.');
        }
      }
      const done = state.answers.get(key);
      if (done) {
        const { bodyHash, ...answer } = done;
        return { state: 'done', ...answer, sameBody: bodyHash === claim.bodyHash };
      }
      running.set(key, ended);
      void ended.then(() => running.delete(key));
      staged.answers.set(key, { bodyHash: claim.bodyHash, status: 0, sealed: '' });
      return { state: 'new' };
    };

  const reposOver = (staged: Stored, touched: string[], ended: Promise<void>): Repos => {
    const repos: FakeRepos = {
      things: {
        add: (name) => {
          const thing = { id: randomUUID(), name };
          staged.things.push(thing);
          return thing;
        },
        all: () => [...state.things, ...(staged === state ? [] : staged.things)],
      },
      touch: (jobId) => touched.push(jobId),
      audit: {
        write: async (entry) => {
          staged.audit.push(entry);
        },
      },
      idempotency: {
        claim: claimIn(staged, ended),
        finish: async (claim, status, sealed) => {
          staged.answers.set(keyOf(claim), { bodyHash: claim.bodyHash, status, sealed });
        },
      },
    };
    return repos as unknown as Repos;
  };

  const inTransaction: ApiPorts['inTransaction'] = async (work) => {
    counts.transactions += 1;
    const staged: Stored = { things: [], audit: [], answers: new Map() };
    const touched: string[] = [];
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    try {
      const value = await work(reposOver(staged, touched, ended));
      state.things.push(...staged.things);
      state.audit.push(...staged.audit);
      for (const [key, answer] of staged.answers) {
        if (answer.sealed !== '') state.answers.set(key, answer);
      }
      return { value, touchedJobs: touched };
    } finally {
      end();
    }
  };

  const log = pino(
    { level: 'debug' },
    { write: (line: string) => logged.push(JSON.parse(line) as Record<string, unknown>) },
  );

  const ports: ApiPorts = {
    repos: reposOver(state, [], Promise.resolve()),
    inTransaction,
    live: async (_scope, call, question) => ({
      issues: [{ pointer: '', code: call, message: 'nodes' in question ? question.nodes : '' }],
    }),
    secrets: { ...makeBox(masterKeyFromBase64(randomBytes(32).toString('base64'))), newApiKey },
    kick: (jobs) => {
      kicked.push([...jobs]);
    },
    readiness: async () => readiness,
    log,
  };

  const keys: Keys = {
    hash: hashApiKey,
    find: async (hash) => {
      counts.finds += 1;
      return found.get(hash);
    },
    touch: async () => {
      counts.touches += 1;
    },
  };

  return {
    ports,
    keys,
    state,
    kicked,
    logged,
    readiness,
    counts,
    found,
    waitForClaims: (milliseconds: number): void => {
      claimWaitMs = milliseconds;
    },
    /** A key as if somebody had made it; gives back its secret. */
    issue: (scopes: readonly string[], more: Partial<Principal> & { expiresAt?: Date } = {}) => {
      const { expiresAt, ...principal } = more;
      const { secret, hash } = newApiKey();
      found.set(hash, {
        principal: {
          keyId: randomUUID(),
          userId: randomUUID(),
          organizationId: randomUUID(),
          workspaceId: randomUUID(),
          scopes,
          ...principal,
        },
        expiresAt: expiresAt ?? null,
      });
      return { secret, hash };
    },
  };
};
