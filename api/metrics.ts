import { BlockList, isIPv6 } from 'node:net';
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

export interface ApiMetrics {
  readonly registry: Registry;
  readonly inFlight: Gauge;
  readonly duration: Histogram<'route' | 'status'>;
  readonly authFailures: Counter<'reason' | 'address_class'>;
}

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** A registry of its own: two APIs in one process (tests) must not count together. */
export const makeMetrics = (): ApiMetrics => {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  return {
    registry,
    inFlight: new Gauge({
      name: 'http_requests_in_flight',
      help: 'Requests being served now.',
      registers,
    }),
    duration: new Histogram({
      name: 'http_request_duration_seconds',
      help: 'From the first byte read to the answer handed to the socket, by route and status.',
      labelNames: ['route', 'status'] as const,
      buckets: seconds,
      registers,
    }),
    authFailures: new Counter({
      name: 'http_auth_failures_total',
      help: 'Requests without a usable token, by reason and kind of address.',
      labelNames: ['reason', 'address_class'] as const,
      registers,
    }),
  };
};

type Subnet = readonly [network: string, bits: number, family: 'ipv4' | 'ipv6'];

const listOf = (subnets: readonly Subnet[]): BlockList => {
  const list = new BlockList();
  for (const subnet of subnets) list.addSubnet(...subnet);
  return list;
};

const loopback = listOf([
  ['127.0.0.0', 8, 'ipv4'],
  ['::1', 128, 'ipv6'],
]);

const inside = listOf([
  ['10.0.0.0', 8, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['fc00::', 7, 'ipv6'],
  ['fe80::', 10, 'ipv6'],
]);

/** Where a peer is, coarsely: raw addresses as labels would grow without end. */
export const addressClass = (address: string): 'loopback' | 'private' | 'public' => {
  const family = isIPv6(address) ? 'ipv6' : 'ipv4';
  if (loopback.check(address, family)) return 'loopback';
  return inside.check(address, family) ? 'private' : 'public';
};
