import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { RunFailure } from '../../core/failures.js';
import { makeAddressPolicy, parseCidrs } from '../../net/addressPolicy.js';
import { makeDialer } from '../../net/dial.js';

const loopback = makeAddressPolicy(parseCidrs('127.0.0.1/32'));
const closed = makeAddressPolicy([]);
const signal = new AbortController().signal;

let server: Server;
let port: number;
const accepted: Socket[] = [];
const dialled: Socket[] = [];

beforeAll(async () => {
  server = createServer((socket) => accepted.push(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
});

afterEach(() => {
  for (const socket of [...accepted.splice(0), ...dialled.splice(0)]) socket.destroy();
});

afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
});

const failureOf = async (connecting: Promise<Socket>): Promise<RunFailure['failure']> => {
  try {
    dialled.push(await connecting);
  } catch (error) {
    if (error instanceof RunFailure) return error.failure;
    throw error;
  }
  throw new Error('connected');
};

/** Waits for a connection of our own, so that an earlier one would have been seen by then. */
const settled = async (): Promise<void> => {
  const before = accepted.length;
  dialled.push(await makeDialer(loopback).connect('127.0.0.1', port, signal, 'destination'));
  while (accepted.length === before) await new Promise(setImmediate);
  accepted.pop();
};

it('connects to an address that is allowed', async () => {
  const socket = await makeDialer(loopback).connect('127.0.0.1', port, signal, 'destination');
  dialled.push(socket);
  expect(socket.remoteAddress).toBe('127.0.0.1');
  expect(socket.listenerCount('error')).toBe(0);
});

it('connects to the address of a name, whatever the name says later', async () => {
  const answers = [['127.0.0.1'], ['10.0.0.1']];
  const resolve = jest.fn(async () => answers.shift() ?? []);
  const socket = await makeDialer(loopback, { resolve }).connect(
    'db.test',
    port,
    signal,
    'destination',
  );
  dialled.push(socket);
  expect(socket.remoteAddress).toBe('127.0.0.1');
  expect(resolve).toHaveBeenCalledTimes(1);
});

it.each([
  '127.0.0.1',
  '127.1',
  '[::ffff:127.0.0.1]',
  '::ffff:7f00:1',
  '0:0:0:0:0:ffff:127.0.0.1',
  '::127.0.0.1',
  '64:ff9b::7f00:1',
  '::1',
  '::',
  '0.0.0.0',
  'localhost',
  '2130706433',
  '0x7f.1',
  '0x7f000001',
  '0177.0.0.1',
  '017700000001',
])('refuses %s without touching it', async (host) => {
  const failure = await failureOf(makeDialer(closed).connect(host, port, signal, 'destination'));
  expect(failure).toMatchObject({ code: 'egress_denied', class: 'config' });
  expect(failure.message).toContain('FLX_EGRESS_ALLOW_CIDRS');
  await settled();
  expect(accepted).toHaveLength(0);
});

it.each(['127.0.0.2@127.0.0.1', '127.0.0.2#127.0.0.1', '127.0.0.1#.a.test', 'user:pw@localhost'])(
  'takes %s for no address, and reaches nobody',
  async (host) => {
    const failure = await failureOf(makeDialer(loopback).connect(host, port, signal, 'source'));
    expect(failure.code).toBe('source_unreachable');
    await settled();
    expect(accepted).toHaveLength(0);
  },
);

it('checks a name anew that has changed its mind', async () => {
  const neighbour = makeAddressPolicy(parseCidrs('127.0.0.2/32'));
  const answers = [['127.0.0.2'], ['127.0.0.1']];
  const dialer = makeDialer(neighbour, { resolve: async () => answers.shift() ?? [] });
  const codes: string[] = [];
  while (answers.length > 0) {
    codes.push((await failureOf(dialer.connect('a.test', port, signal, 'source'))).code);
  }
  // Nobody listens at the address that it had first.
  expect(codes).toEqual(['source_unreachable', 'egress_denied']);
  await settled();
  expect(accepted).toHaveLength(0);
});

it.each([
  ['first', ['10.0.0.1', '127.0.0.1']],
  ['last', ['127.0.0.1', '10.0.0.1']],
])('refuses a name for one bad address (%s)', async (_, addresses) => {
  const dialer = makeDialer(loopback, { resolve: async () => addresses });
  const failure = await failureOf(dialer.connect('db.test', port, signal, 'destination'));
  expect(failure.code).toBe('egress_denied');
  await settled();
  expect(accepted).toHaveLength(0);
});

it('refuses a name without addresses', async () => {
  const dialer = makeDialer(loopback, { resolve: async () => [] });
  expect((await failureOf(dialer.connect('db.test', port, signal, 'destination'))).code).toBe(
    'egress_denied',
  );
});

it('looks again at what it is connected to', async () => {
  const answers = [true, false];
  const turning = { allows: () => answers.shift() ?? false };
  const failure = await failureOf(
    makeDialer(turning).connect('127.0.0.1', port, signal, 'destination'),
  );
  expect(failure.code).toBe('egress_denied');
  expect(answers).toEqual([]);
});

it('tries the next address when one does not answer', async () => {
  const both = makeAddressPolicy(parseCidrs('127.0.0.0/8'));
  const dialer = makeDialer(both, { resolve: async () => ['127.0.0.2', '127.0.0.1'] });
  const socket = await dialer.connect('db.test', port, signal, 'destination');
  dialled.push(socket);
  expect(socket.remoteAddress).toBe('127.0.0.1');
});

describe('a destination that cannot be reached', () => {
  const unused = async (): Promise<number> => {
    const probe = createServer();
    await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
    const { port: free } = probe.address() as AddressInfo;
    await new Promise((resolve) => probe.close(resolve));
    return free;
  };

  it('says that nothing listens, and may be tried again', async () => {
    const free = await unused();
    const failure = await failureOf(
      makeDialer(loopback).connect('127.0.0.1', free, signal, 'destination'),
    );
    expect(failure).toEqual({
      code: 'destination_unreachable',
      class: 'transient',
      message: `Cannot reach 127.0.0.1:${free}: nothing listens at this address: check host and port, and that the system is running. [ECONNREFUSED]`,
      reason: 'connection_refused',
    });
  });

  it('is called a source when it is one', async () => {
    const connecting = makeDialer(loopback).connect('127.0.0.1', await unused(), signal, 'source');
    expect((await failureOf(connecting)).code).toBe('source_unreachable');
  });

  it('may have no name', async () => {
    const unknown = Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' });
    const dialer = makeDialer(loopback, { resolve: () => Promise.reject(unknown) });
    const failure = await failureOf(dialer.connect('nowhere.test', 1, signal, 'destination'));
    expect(failure).toMatchObject({ class: 'transient' });
    expect(failure.message).toMatch(/host name is unknown.*\[ENOTFOUND\]$/);
  });

  it('is given up after the time limit, names included', async () => {
    const dialer = makeDialer(loopback, {
      timeoutMs: 20,
      resolve: () => new Promise<never>(() => undefined),
    });
    const failure = await failureOf(dialer.connect('slow.test', 1, signal, 'destination'));
    expect(failure.message).toMatch(/did not answer in time.*\[ETIMEDOUT\]$/);
  });
});

describe('an abort', () => {
  const reason = new Error('stop');

  it('comes before anything is looked up', async () => {
    const resolve = jest.fn(async () => ['127.0.0.1']);
    const connecting = makeDialer(loopback, { resolve }).connect(
      'db.test',
      port,
      AbortSignal.abort(reason),
      'source',
    );
    await expect(connecting).rejects.toBe(reason);
    expect(resolve).not.toHaveBeenCalled();
  });

  it('interrupts the look-up', async () => {
    const abort = new AbortController();
    const dialer = makeDialer(loopback, { resolve: () => new Promise<never>(() => undefined) });
    const connecting = dialer.connect('db.test', port, abort.signal, 'source');
    abort.abort(reason);
    await expect(connecting).rejects.toBe(reason);
  });

  it('interrupts the connecting', async () => {
    const abort = new AbortController();
    const connecting = makeDialer(loopback).connect('127.0.0.1', port, abort.signal, 'source');
    abort.abort(reason);
    await expect(connecting).rejects.toBe(reason);
  });

  it('no longer concerns a socket that was handed over', async () => {
    const abort = new AbortController();
    const socket = await makeDialer(loopback).connect('127.0.0.1', port, abort.signal, 'source');
    dialled.push(socket);
    abort.abort(reason);
    await new Promise(setImmediate);
    expect(socket.destroyed).toBe(false);
  });
});
