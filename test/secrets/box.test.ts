import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { SealError, makeBox } from '../../secrets/box.js';
import type { Place } from '../../secrets/box.js';
import { masterKeyFromBase64 } from '../../secrets/masterKey.js';

const newKey = () => masterKeyFromBase64(randomBytes(32).toString('base64'));
const box = makeBox(newKey());
const place: Place = { table: 'credentials', row: 'one', field: 'sealed' };

const refusal = (sealed: string, at: Place = place, from = box): unknown => {
  try {
    return from.open(sealed, at);
  } catch (error) {
    return error;
  }
};

it('opens what it sealed, whatever the text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(box.open(box.seal(text, place), place)).toBe(text);
    }),
  );
});

it('seals the same text differently each time, and never shows it', () => {
  const sealed = Array.from({ length: 50 }, () => box.seal('hunter2hunter2', place));
  expect(new Set(sealed).size).toBe(50);
  for (const field of [2, 3]) {
    expect(new Set(sealed.map((text) => text.split('.')[field])).size).toBe(50);
  }
  const plain = Buffer.from('hunter2hunter2');
  for (const text of sealed) {
    for (const part of text.split('.')) {
      expect(Buffer.from(part, 'base64url').includes(plain)).toBe(false);
    }
  }
});

it('says form and key id in front', () => {
  const key = newKey();
  expect(makeBox(key).seal('x', place)).toMatch(new RegExp(`^v1\\.${key.id}\\.[\\w-]+\\.[\\w-]+$`));
});

it('fails alike for every changed character', () => {
  const sealed = box.seal('secret', place);
  for (let at = 0; at < sealed.length; at++) {
    for (const sign of ['A', 'b', '-', '.', '=']) {
      if (sealed[at] === sign) continue;
      const changed = sealed.slice(0, at) + sign + sealed.slice(at + 1);
      expect(refusal(changed)).toEqual(new SealError());
    }
  }
});

it('takes one spelling only, though base64 has several for the same bytes', () => {
  const parts = box.seal('secret', place).split('.');
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  for (const field of [2, 3]) {
    const last = (parts[field] ?? '').slice(-1);
    for (const sign of [
      '',
      ...Array.from(alphabet),
      `${last}=`,
      `${last}==`,
      `${last}\n`,
      `${last} `,
    ]) {
      if (sign === last) continue;
      const changed = parts.map((part, at) => (at === field ? part.slice(0, -1) + sign : part));
      expect(refusal(changed.join('.'))).toBeInstanceOf(SealError);
    }
  }
});

it('fails alike for every flipped bit of key and text', () => {
  const parts = box.seal('secret', place).split('.');
  for (const field of [2, 3]) {
    const bytes = Buffer.from(parts[field] ?? '', 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const flipped = Buffer.from(bytes);
      flipped[bit >>> 3] = (flipped[bit >>> 3] ?? 0) ^ (1 << (bit & 7));
      const changed = parts.map((part, at) =>
        at === field ? flipped.toString('base64url') : part,
      );
      expect(refusal(changed.join('.'))).toBeInstanceOf(SealError);
    }
  }
});

it.each([
  ['another table', { ...place, table: 'git' }],
  ['another row', { ...place, row: 'two' }],
  ['another field', { ...place, field: 'other' }],
] as [string, Place][])('does not open in %s', (_, other) => {
  expect(refusal(box.seal('secret', place), other)).toBeInstanceOf(SealError);
});

it('tells places apart however their parts are cut', () => {
  const sealed = box.seal('x', { table: 'a|b', row: 'c', field: 'd' });
  expect(refusal(sealed, { table: 'a', row: 'b|c', field: 'd' })).toBeInstanceOf(SealError);
  const part = fc.string({ unit: fc.constantFrom('a', '|', '"', ',', '.'), maxLength: 3 });
  const anywhere = fc.record({ table: part, row: part, field: part });
  fc.assert(
    fc.property(anywhere, anywhere, (one, other) => {
      const same = JSON.stringify(one) === JSON.stringify(other);
      expect(refusal(box.seal('x', one), other) instanceof SealError).toBe(!same);
    }),
  );
});

it('does not open with another master key, not even one of the same id', () => {
  const key = newKey();
  const sealed = makeBox(key).seal('secret', place);
  expect(refusal(sealed, place, makeBox(newKey()))).toBeInstanceOf(SealError);
  const impostor = makeBox({ id: key.id, bytes: randomBytes(32) });
  expect(refusal(sealed, place, impostor)).toBeInstanceOf(SealError);
});

it('does not open one secret with the data key of another', () => {
  const [one, other] = [box.seal('one', place), box.seal('other', place)].map((text) =>
    text.split('.'),
  );
  const mixed = [one?.[0], one?.[1], one?.[2], other?.[3]].join('.');
  expect(refusal(mixed)).toBeInstanceOf(SealError);
});

it.each(['', 'v1', 'v1...', 'plain text', 'v2.a.b.c', '....', 'v1.a.b.c.d'])(
  'refuses %j with the same words',
  (sealed) => {
    expect(refusal(sealed)).toEqual(new SealError());
  },
);
