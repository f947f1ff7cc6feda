import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type Cidr = [Address, number];

export interface AddressPolicy {
  /** Whether connectors may open a connection to this IP address. */
  allows(address: string): boolean;
}

/**
 * What hands out a cloud's credentials to whoever asks from one of its machines: never to be reached
 * for a user, whatever an operator allows. All that is link-local, and those elsewhere.
 */
const metadata: readonly Cidr[] = [
  '169.254.0.0/16',
  'fe80::/10',
  // Azure, Alibaba, Oracle, AWS, Google.
  '168.63.129.16/32',
  '100.100.100.200/32',
  '192.0.0.192/32',
  'fd00:ec2::/32',
  'fd20:ce::254/128',
].map((block) => ipaddr.parseCIDR(block));

/** All that is assigned for the public internet; outside it, `::127.0.0.1` passes for unicast. */
const publicIPv6: Cidr = [ipaddr.IPv6.parse('2000::'), 3];

/** IPv4 inside IPv6 is judged as what it reaches. */
const unwrap = (address: Address): Address =>
  address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress()
    ? address.toIPv4Address()
    : address;

const mappedBits = 96;

/** A block of IPv4-mapped addresses is the block of what they map. */
const unwrapBlock = ([block, bits]: Cidr): Cidr => {
  const inner = unwrap(block);
  return inner === block || bits < mappedBits ? [block, bits] : [inner, bits - mappedBits];
};

/** Comma-separated CIDR blocks; what is not one is named. */
export const parseCidrs = (text: string): Cidr[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      if (ipaddr.isValidCIDR(part)) return unwrapBlock(ipaddr.parseCIDR(part));
      throw new Error(`"${part}" is not a CIDR block such as 10.0.0.0/8`);
    });

const inside = (address: Address, [block, bits]: Cidr): boolean =>
  address.kind() === block.kind() && address.match(block, bits);

const isPublic = (address: Address): boolean =>
  address.range() === 'unicast' && (address.kind() === 'ipv4' || inside(address, publicIPv6));

/**
 * Public addresses are open; loopback, private and special ones only where a block allows them, and
 * metadata services not even there.
 */
export const makeAddressPolicy = (allowed: readonly Cidr[]): AddressPolicy => ({
  allows: (text) => {
    if (!ipaddr.isValid(text)) return false;
    const address = unwrap(ipaddr.parse(text));
    if (metadata.some((block) => inside(address, block))) return false;
    return allowed.some((cidr) => inside(address, cidr)) || isPublic(address);
  },
});
