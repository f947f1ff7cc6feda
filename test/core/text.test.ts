import fc from 'fast-check';
import { checkName } from '../../core/names.js';
import { isStorableText, utf8Length } from '../../core/text.js';

it('counts the bytes that Node counts', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(utf8Length(text)).toBe(Buffer.byteLength(text));
    }),
  );
});

it('stores what survives UTF-8 and has no NUL', () => {
  // Units, not characters: halves of surrogate pairs are among them.
  const units = fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 8 });
  fc.assert(
    fc.property(units, (codes) => {
      const text = String.fromCharCode(...codes);
      const survives = Buffer.from(text).toString() === text && !codes.includes(0);
      expect(isStorableText(text)).toBe(survives);
    }),
    { examples: [[[0]], [[0xd800]], [[0xd83d, 0xde00]], [[0xde00, 0xd83d]]] },
  );
});

it.each(['orders', 'a'.repeat(63), 'ä'.repeat(31), 'With "quotes" and spaces'])(
  '%s is a name',
  (name) => {
    expect(checkName(name, '/table')).toEqual([]);
  },
);

it.each(['a'.repeat(64), 'ä'.repeat(32), '😀'.repeat(16), 'a\u0000b', '\ud800'])(
  '%j is no name',
  (name) => {
    expect(checkName(name, '/table')).toEqual([
      expect.objectContaining({ pointer: '/table', code: 'name' }),
    ]);
  },
);
