import fc from 'fast-check';
import { makeCopyFrames } from '../../../connectors/postgres/copyFrames.js';

const message = (type: string, payload: Buffer): Buffer => {
  const header = Buffer.alloc(5);
  header.write(type, 0, 'latin1');
  header.writeUInt32BE(payload.length + 4, 1);
  return Buffer.concat([header, payload]);
};

/** The same bytes in pieces that end wherever they may. */
const cut = (bytes: Buffer, sizes: readonly number[]): Buffer[] => {
  const pieces: Buffer[] = [];
  let at = 0;
  for (let index = 0; at < bytes.length; index += 1) {
    const size = sizes[index % sizes.length] ?? 1;
    // Copies: chunks are changed in place.
    pieces.push(Buffer.from(bytes.subarray(at, at + size)));
    at += size;
  }
  return pieces;
};

const preamble = Buffer.concat([Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'), Buffer.alloc(8)]);
const trailer = Buffer.from([0xff, 0xff]);
const rows = fc.array(fc.uint8Array({ minLength: 3, maxLength: 200 }), { maxLength: 40 });
const sizes = fc.array(fc.integer({ min: 1, max: 120 }), { minLength: 1, maxLength: 10 });
const noise = fc.array(fc.constantFrom('N', 'S', '1', '2', 'H'), { maxLength: 3 });

test.each(['csv', 'postgres-binary'] as const)(
  '%s comes out whole, without the rows that are too large, in whatever pieces it came',
  (format) => {
    const binary = format === 'postgres-binary';
    fc.assert(
      fc.property(
        rows,
        sizes,
        noise,
        fc.integer({ min: 3, max: 200 }),
        (all, pieces, others, most) => {
          const payloads = all.map((row) => Buffer.from(row));
          const framed = payloads.map((row, index) =>
            binary && index === 0 ? Buffer.concat([preamble, row]) : row,
          );
          if (binary)
            framed.push(payloads.length === 0 ? Buffer.concat([preamble, trailer]) : trailer);
          const after = Buffer.concat([
            message('c', Buffer.alloc(0)),
            message('C', Buffer.from('COPY')),
          ]);
          const wire = Buffer.concat([
            ...others.map((type) => message(type, Buffer.from('noise d c E'))),
            ...framed.map((row) => message('d', row)),
            after,
          ]);

          const kept: Buffer[] = [];
          const rejected: [number, number][] = [];
          const frames = makeCopyFrames(
            format,
            most,
            (piece) => kept.push(Buffer.from(piece)),
            (row, bytes) => rejected.push([row, bytes]),
          );
          const rest: Buffer[] = [];
          for (const piece of cut(wire, pieces)) {
            if (rest.length > 0) rest.push(piece);
            else {
              const left = frames.push(piece);
              if (left) rest.push(left);
            }
          }

          const small = payloads.filter(({ length }) => length <= most);
          const expected = Buffer.concat(binary ? [preamble, ...small, trailer] : small);
          expect(Buffer.concat(kept)).toEqual(expected);
          expect(Buffer.concat(rest)).toEqual(after);
          expect(rejected).toEqual(
            payloads.flatMap(({ length }, row) => (length > most ? [[row, length]] : [])),
          );
          expect(frames.rows()).toEqual({
            kept: small.length,
            seen: payloads.length,
            bytes: expected.length,
          });
        },
      ),
    );
  },
);

test('an error is the driver’s to read, from its first byte', () => {
  const error = message('E', Buffer.from('SERROR'));
  const frames = makeCopyFrames(
    'csv',
    10,
    () => undefined,
    () => undefined,
  );
  expect(frames.push(Buffer.concat([message('d', Buffer.from('1\n')), error]))).toEqual(error);
  expect(frames.rows()).toEqual({ kept: 1, seen: 1, bytes: 2 });
});
