/**
 * Certificates for tests, made here: an authority and what it has signed. X.509 in DER is nested
 * tag, length, value; Node signs it but has no way to write it.
 */
import { createPrivateKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { isIPv4 } from 'node:net';

export interface Certificate {
  /** PEM, both. */
  certificate: string;
  key: string;
}

export interface Authority extends Certificate {
  /** A certificate for a server of these names or IPv4 addresses. */
  issue(hosts: readonly string[], options?: { expired?: boolean }): Certificate;
}

const tlv = (tag: number, ...parts: readonly Buffer[]): Buffer => {
  const value = Buffer.concat(parts);
  if (value.length < 128) return Buffer.concat([Buffer.from([tag, value.length]), value]);
  const hex = value.length.toString(16);
  const length = Buffer.from(hex.length % 2 === 1 ? `0${hex}` : hex, 'hex');
  return Buffer.concat([Buffer.from([tag, 0x80 | length.length]), length, value]);
};

const sequence = (...parts: readonly Buffer[]): Buffer => tlv(0x30, ...parts);
const bits = (bytes: Buffer): Buffer => tlv(0x03, Buffer.from([0]), bytes);
const oid = (hex: string): Buffer => tlv(0x06, Buffer.from(hex, 'hex'));
const whole = (bytes: Buffer): Buffer => tlv(0x02, bytes);
const yes = tlv(0x01, Buffer.from([0xff]));

/** `YYMMDDHHMMSSZ`. */
const moment = (time: number): Buffer =>
  tlv(0x17, Buffer.from(`${new Date(time).toISOString().slice(2, 19).replace(/\D/g, '')}Z`));

const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'));
const named = (commonName: string): Buffer =>
  sequence(tlv(0x31, sequence(oid('550403'), tlv(0x0c, Buffer.from(commonName)))));

const basicConstraints = (isAuthority: boolean): Buffer =>
  sequence(oid('551d13'), yes, tlv(0x04, isAuthority ? sequence(yes) : sequence()));

const alternativeNames = (hosts: readonly string[]): Buffer => {
  const names = hosts.map((host) =>
    isIPv4(host)
      ? tlv(0x87, Buffer.from(host.split('.').map(Number)))
      : tlv(0x82, Buffer.from(host)),
  );
  return sequence(oid('551d11'), tlv(0x04, sequence(...names)));
};

interface Wanted {
  subject: string;
  issuer: string;
  publicKey: KeyObject;
  signer: KeyObject;
  extensions: readonly Buffer[];
  expired: boolean;
}

const day = 86_400_000;

const signed = ({ subject, issuer, publicKey, signer, extensions, expired }: Wanted): string => {
  const now = Date.now();
  const serial = randomBytes(8);
  serial[0] = 0x01; // positive, and without zeros before it
  const body = sequence(
    tlv(0xa0, whole(Buffer.from([2]))),
    whole(serial),
    ecdsaWithSha256,
    named(issuer),
    sequence(moment(now - 10 * day), moment(expired ? now - day : now + 365 * day)),
    named(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    tlv(0xa3, sequence(...extensions)),
  );
  const der = sequence(body, ecdsaWithSha256, bits(sign('sha256', body, signer)));
  const lines = der.toString('base64').replace(/.{64}/g, '$&\n');
  return `-----BEGIN CERTIFICATE-----\n${lines.trimEnd()}\n-----END CERTIFICATE-----\n`;
};

const newKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });

const pem = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();

export const makeAuthority = (name: string): Authority => {
  const { publicKey, privateKey } = newKeys();
  const signer = createPrivateKey(pem(privateKey));
  const own = { subject: name, issuer: name, publicKey, signer, expired: false };
  return {
    certificate: signed({ ...own, extensions: [basicConstraints(true)] }),
    key: pem(privateKey),
    issue: (hosts, { expired = false } = {}) => {
      const keys = newKeys();
      return {
        certificate: signed({
          subject: hosts[0] ?? 'nobody',
          issuer: name,
          publicKey: keys.publicKey,
          signer,
          extensions: [basicConstraints(false), alternativeNames(hosts)],
          expired,
        }),
        key: pem(keys.privateKey),
      };
    },
  };
};
