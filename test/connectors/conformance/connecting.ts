/** Connections that work and connections that do not. */
import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import type { ConnectionConfig, Connector } from '../../../connectors/connector.js';
import { connectReasons } from '../../../core/connecting.js';
import type { ConnectReason } from '../../../core/connecting.js';
import { RunFailure } from '../../../core/failures.js';
import { checkSchema } from '../../../core/schema.js';
import { makeAddressPolicy, parseCidrs } from '../../../net/addressPolicy.js';
import { makeDialer } from '../../../net/dial.js';
import { bytesOf, context, failureOf } from '../postgres/sourceTesting.js';
import { waitFor } from '../../support/wait.js';
import type { Check, Trial } from './check.js';
import { method, required } from './check.js';
import type { Problem, System } from './harness.js';

const checkOf = (connector: Connector) => method(connector, 'check');

/** A listener that does with connections what it likes. */
export const listening = async <T>(
  onConnection: (socket: Socket) => void,
  work: (port: number, server: Server) => Promise<T>,
): Promise<T> => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await work((server.address() as AddressInfo).port, server);
  } finally {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
};

const elsewhere = ({ at }: System, host: string, port: number): ConnectionConfig =>
  required(at, 'way to another host (at)')(host, port);

const closedPort = (): Promise<number> =>
  listening(
    () => undefined,
    async (port) => port,
  );

const leave = (socket: Socket): void => {
  socket.destroy();
};

/** Those that have nothing to do with what is spoken. */
const provoked: Partial<
  Record<
    ConnectReason,
    (system: System, work: (problem: Problem) => Promise<void>) => Promise<void>
  >
> = {
  host_unknown: (system, work) => work({ config: elsewhere(system, 'nobody.invalid', 1) }),
  connection_refused: async (system, work) =>
    work({ config: elsewhere(system, '127.0.0.1', await closedPort()) }),
  connect_timeout: (system, work) =>
    listening(
      () => undefined,
      (port) => work({ config: elsewhere(system, '127.0.0.1', port) }),
    ),
  connection_lost: (system, work) =>
    listening(leave, (port) => work({ config: elsewhere(system, '127.0.0.1', port) })),
};

/** What the service would say, and whether it says too much. */
const complaint = async (
  trial: Trial,
  { config, source }: Problem,
  role: 'source' | 'destination',
) => {
  const connector = await trial.open({ role, config });
  const failure = await failureOf(
    source === undefined
      ? checkOf(connector)(context())
      : (async () => {
          const part = required(connector.source, 'source');
          const request = { config: source };
          const options = { targetBytes: 1, consistency: 'single' as const };
          const { ranges } = await part.splits(request, options, context());
          for (const range of ranges) {
            await bytesOf(part.readBulk(request, range, { format: 'csv' }, context()));
          }
        })(),
  );
  for (const secret of trial.system.secrets) expect(JSON.stringify(failure)).not.toContain(secret);
  return failure;
};

const reasonCheck = (reason: ConnectReason): Check => ({
  name: `a bad connection: ${reason}`,
  part: 'connection',
  capabilities: ['check'],
  network: true,
  ...(reason === 'network_unreachable'
    ? { never: 'no address is out of reach on every machine' }
    : {}),
  run: async (trial) => {
    const { system, manifest } = trial;
    const complain = async (problem: Problem): Promise<void> => {
      const undo = await problem.provoke?.();
      try {
        for (const role of problem.source === undefined ? manifest.roles : (['source'] as const)) {
          expect(await complaint(trial, problem, role)).toMatchObject({ reason });
        }
      } finally {
        await undo?.();
      }
    };
    const own = system.problems?.[reason];
    const general = provoked[reason];
    if (own === undefined && general) await general(system, complain);
    else await complain(required(own, `problem ${reason}`));
  },
});

const goodChecks: readonly Check[] = [
  {
    name: 'the example and the harness follow the schema of the configuration',
    part: 'connection',
    capabilities: [],
    run: async ({ manifest, system }) => {
      for (const config of [manifest.example, system.config]) {
        expect(checkSchema(manifest.config, config, '')).toEqual([]);
      }
      const known = Object.keys(manifest.config.properties);
      expect(manifest.secretKeys.filter((key) => !known.includes(key))).toEqual([]);
    },
  },
  {
    name: 'close may be called twice, and before anything else',
    part: 'connection',
    capabilities: [],
    run: async ({ open }) => {
      const connector = await open();
      await connector.close();
      await connector.close();
    },
  },
  {
    name: 'a good connection',
    part: 'connection',
    capabilities: ['check'],
    run: async ({ open, manifest, system, harness, sockets }) => {
      for (const role of manifest.roles) {
        const { serverVersion, notes } = await checkOf(await open({ role }))(context());
        expect(serverVersion ?? 'none').not.toBe('');
        for (const secret of system.secrets) expect(notes.join('\n')).not.toContain(secret);
      }
      if (harness.network) expect(sockets.opened()).toBeGreaterThan(0);
    },
  },
  {
    name: 'closed, it leaves no socket open',
    part: 'connection',
    capabilities: ['check'],
    network: true,
    run: async ({ open, sockets }) => {
      const connector = await open();
      await checkOf(connector)(context());
      await Promise.all([connector.close(), connector.close()]);
      await waitFor(() => sockets.open() === 0, { timeoutMs: 10_000, what: 'sockets to close' });
    },
  },
  {
    name: 'goes nowhere that is not allowed',
    part: 'connection',
    capabilities: ['check'],
    network: true,
    run: async (trial) => {
      const { open, sockets, system } = trial;
      const net = makeDialer(makeAddressPolicy(parseCidrs('')));
      const connector = await open({ net });
      expect(await failureOf(checkOf(connector)(context()))).toMatchObject({
        code: 'egress_denied',
      });
      expect(sockets.opened()).toBe(0);
      // What reaches the listener has gone past the dialer.
      let reached = 0;
      await listening(
        () => (reached += 1),
        async (port) => {
          const other = await open({ net, config: elsewhere(system, '127.0.0.1', port) });
          expect((await failureOf(checkOf(other)(context()))).code).toBe('egress_denied');
        },
      );
      expect(reached).toBe(0);
    },
  },
  {
    name: 'stops waiting for an answer when it is told to',
    part: 'connection',
    capabilities: ['check'],
    network: true,
    run: async ({ open, system, sockets }) => {
      let arrived: () => void = () => undefined;
      const called = new Promise<void>((resolve) => (arrived = resolve));
      await listening(
        () => arrived(),
        async (port) => {
          const connector = await open({ config: elsewhere(system, '127.0.0.1', port) });
          const stop = new AbortController();
          const check = checkOf(connector)(context(stop.signal)).catch((error: unknown) => error);
          await called;
          stop.abort(new RunFailure({ code: 'canceled', class: 'internal', message: 'enough' }));
          expect(String(await check)).toContain('enough');
          await waitFor(() => sockets.open() === 0, { timeoutMs: 10_000, what: 'it to hang up' });
        },
      );
    },
  },
];

export const connectionChecks: readonly Check[] = [
  ...goodChecks,
  // Only a file is locked, and there is no way to one over a network.
  ...connectReasons.filter((reason) => reason !== 'locked').map(reasonCheck),
];
