import { makeAddressPolicy, parseCidrs } from '../../net/addressPolicy.js';

const closed = makeAddressPolicy([]);
const opened = (cidrs: string) => makeAddressPolicy(parseCidrs(cidrs));

it.each([
  '8.8.8.8',
  '93.184.215.14',
  '2606:4700:4700::1111',
  '2a00:1450:4001::1',
  '::ffff:8.8.8.8',
])('lets %s through', (address) => {
  expect(closed.allows(address)).toBe(true);
});

const never = [
  '0.0.0.0',
  '10.0.0.1',
  '100.64.0.1',
  '100.100.100.200',
  '127.0.0.1',
  '127.255.255.254',
  '168.63.129.16',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.1',
  '192.0.2.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::127.0.0.1',
  '::ffff:127.0.0.1',
  '::ffff:169.254.169.254',
  '::ffff:168.63.129.16',
  '::ffff:0:127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b:1::a00:1',
  '100::1',
  '2001::1',
  '2001:db8::1',
  '2002:7f00:1::',
  '5f00::1',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'ff02::1',
  '4000::1',
];

it.each(never)('stops at %s', (address) => {
  expect(closed.allows(address)).toBe(false);
});

it.each(['2130706433', '0x7f.1', '127.1', '0177.0.0.1', '017700000001'])(
  'stops at loopback spelled %s',
  (address) => {
    expect(closed.allows(address)).toBe(false);
  },
);

it.each(['', 'localhost', 'example.com', '1.2.3.4.5', '10.0.0.0/8', '::g', '[::1]'])(
  'knows that %j is no address',
  (text) => {
    expect(opened('0.0.0.0/0,::/0').allows(text)).toBe(false);
  },
);

describe('allowed blocks', () => {
  it('open what lies in them, and no more', () => {
    const policy = opened('127.0.0.0/8, 10.1.0.0/16,fd00::/8');
    const open = ['127.0.0.1', '10.1.255.255', 'fd12::1', '::ffff:10.1.0.1'];
    const shut = ['10.2.0.0', '192.168.0.1', '::1', 'fc00::1', '::ffff:10.2.0.1'];
    expect(open.filter((address) => !policy.allows(address))).toEqual([]);
    expect(shut.filter((address) => policy.allows(address))).toEqual([]);
  });

  it('may be one address, and any special one', () => {
    expect(opened('192.0.2.1/32').allows('192.0.2.1')).toBe(true);
    expect(opened('::1/128').allows('::1')).toBe(true);
    expect(opened('::1/128').allows('127.0.0.1')).toBe(false);
  });

  it.each([
    '169.254.169.254',
    '169.254.170.2',
    '169.254.170.23',
    '168.63.129.16',
    '100.100.100.200',
    '192.0.0.192',
    'fd00:ec2::254',
    'fd00:ec2::23',
    'fd20:ce::254',
    'fe80::a9fe:a9fe',
    '::ffff:169.254.169.254',
    '::ffff:100.100.100.200',
  ])('never open the metadata service %s', (address) => {
    expect(opened(`0.0.0.0/0,::/0`).allows(address)).toBe(false);
    const bits = address.includes(':') ? 128 : 32;
    expect(opened(`${address}/${bits}`).allows(address)).toBe(false);
  });

  it('may be written as the IPv6 form of IPv4', () => {
    const policy = opened('::ffff:10.0.0.0/104');
    expect(policy.allows('10.9.9.9')).toBe(true);
    expect(policy.allows('::ffff:10.9.9.9')).toBe(true);
    expect(policy.allows('11.0.0.1') && policy.allows('192.168.0.1')).toBe(false);
  });

  it('may be none', () => {
    expect(parseCidrs('')).toEqual([]);
    expect(parseCidrs(' , ')).toEqual([]);
  });

  it.each(['10.0.0.0', '10.0.0.0/33', '10.0.0.0/-1', 'fd00::/129', 'private', '10.0.0.0/8;::/0'])(
    'are not %s, and the complaint names it',
    (text) => {
      expect(() => parseCidrs(`127.0.0.0/8, ${text}`)).toThrow(`"${text}" is not a CIDR block`);
    },
  );
});
