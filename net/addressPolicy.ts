import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type Cidr = [Address, number];

export interface AddressPolicy {
  /** Whether connectors may open a connection to this IP address. */
  allows(address: string): boolean;
}

/** Unicast by its number, yet the metadata service of a cloud. */
const neverPublic: ReadonlySet<string> = new Set(['168.63.129.16']);

/** Comma-separated CIDR blocks; what is not one is named. */
export const parseCidrs = (text: string): Cidr[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      if (ipaddr.isValidCIDR(part)) return ipaddr.parseCIDR(part);
      throw new Error(`"${part}" is not a CIDR block such as 10.0.0.0/8`);
    });

/** IPv4 inside IPv6 is judged as what it reaches. */
const unwrap = (address: Address): Address =>
  address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress()
    ? address.toIPv4Address()
    : address;

const inside = (address: Address, [block, bits]: Cidr): boolean =>
  address.kind() === block.kind() && address.match(block, bits);

/** Public addresses are open; loopback, private and special ones only where a block allows them. */
export const makeAddressPolicy = (allowed: readonly Cidr[]): AddressPolicy => ({
  allows: (text) => {
    if (!ipaddr.isValid(text)) return false;
    const address = unwrap(ipaddr.parse(text));
    if (allowed.some((cidr) => inside(address, cidr))) return true;
    return address.range() === 'unicast' && !neverPublic.has(address.toString());
  },
});
