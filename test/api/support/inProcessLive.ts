import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { ActivityDeps } from '../../../activities/deps.js';
import { answerQuestion } from '../../../activities/live.js';
import type { Live } from '../../../api/ports.js';
import { openConnector } from '../../../connectors/registry.js';
import type { LiveCallName, LiveReply } from '../../../core/live.js';
import { liveFailure } from '../../../core/liveFailure.js';
import type { Repos } from '../../../db/repos/index.js';
import type { InTransaction } from '../../../db/tx.js';
import { makeDuckDb } from '../../../engine/duckdb/pool.js';
import { makeScratch } from '../../../engine/staging/scratch.js';
import { openStaging } from '../../../engine/staging/staging.js';
import { makeAddressPolicy, parseCidrs } from '../../../net/addressPolicy.js';
import { makeDialer } from '../../../net/dial.js';
import type { Box } from '../../../secrets/box.js';
import { localDirectories } from '../../support/anywhere.js';

interface Parts {
  repos: Repos;
  inTransaction: InTransaction;
  box: Box;
  log: Logger;
}

const maxRowBytes = 1024 * 1024;

/**
 * What a worker would answer, without the way there: questions and answers pass through JSON as
 * they do on it.
 */
export const makeInProcessLive = async (
  parts: Parts,
): Promise<{ live: Live; close: () => Promise<void> }> => {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'live-')));
  const net = makeDialer(makeAddressPolicy(parseCidrs('127.0.0.0/8,::1/128')));
  const duckdb = makeDuckDb({
    slots: 1,
    memoryBytes: 512 * 1024 * 1024,
    timeoutMs: 60_000,
    maxRows: 20_000,
    childFile: join(__dirname, '../../../dist/engine/duckdb/child.js'),
  });
  const staging = await openStaging({
    url: base,
    maxBytes: 1024 * 1024,
    openConnector: (id, config) =>
      openConnector(id, config, { net, role: 'destination', maxRowBytes, localDirectories }),
  });
  const scratch = await makeScratch(join(base, 'scratch'));
  const deps: ActivityDeps = {
    ...parts,
    openConnector,
    net,
    engine: { duckdb, staging, scratch, maxRowBytes, localDirectories },
    settings: { heartbeatMs: 1_000, splitBytes: 1_000_000, splitsPerExecution: 1, batchQueue: 'b' },
  };
  const live = async <Call extends LiveCallName>(
    ...[scope, call, question, signal]: Parameters<Live>
  ): Promise<Extract<LiveReply<Call>, { ok: true }>['answer']> => {
    const asked = JSON.parse(JSON.stringify(question)) as never;
    const answered = await answerQuestion(deps, scope, call, asked, signal);
    const reply = JSON.parse(JSON.stringify(answered)) as LiveReply<Call>;
    if (reply.ok) return reply.answer;
    throw liveFailure(reply.failure);
  };
  return {
    live,
    close: async () => {
      await duckdb.close();
      await staging.close();
      await rm(base, { recursive: true, force: true });
    },
  };
};
