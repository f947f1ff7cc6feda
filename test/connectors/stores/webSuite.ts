/** What a store that is reached over HTTP has to do when connections break. */
import { randomBytes } from 'node:crypto';
import type { Net } from '../../../connectors/connector.js';
import type { Store } from '../../../connectors/store.js';
import { cuttableNet, loopback } from './anywhere.js';
import { chunksOf, context, failure, keysOf, readAll } from './suite.js';

export interface WebHarness {
  title: string;
  /** The same store at every call, over another network. */
  open: (net: Net) => Promise<Store>;
}

const megabyte = 1024 * 1024;

export const webSuite = ({ title, open }: WebHarness): void => {
  describe(`${title}, when connections break`, () => {
    it('goes on reading at the byte that was reached', async () => {
      const bytes = randomBytes(6 * megabyte);
      await (await open(loopback)).write('cut', chunksOf(bytes), context());
      const { net, sockets } = cuttableNet();
      const store = await open(net);
      const chunks: Buffer[] = [];
      let read = 0;
      let cuts = 0;
      for await (const chunk of store.read('cut', { from: 5, to: bytes.length - 7 }, context())) {
        chunks.push(chunk);
        read += chunk.length;
        if (read < (cuts + 1) * megabyte || cuts === 3) continue;
        cuts += 1;
        for (const socket of sockets.splice(0)) socket.destroy();
      }
      expect(cuts).toBe(3);
      expect(Buffer.concat(chunks).equals(bytes.subarray(5, bytes.length - 7))).toBe(true);
    });

    it('does not go on in a file that has become another', async () => {
      const writer = await open(loopback);
      await writer.write('changing', chunksOf(randomBytes(6 * megabyte)), context());
      const { net, sockets } = cuttableNet();
      const store = await open(net);
      const reading = (async () => {
        let changed = false;
        for await (const chunk of store.read('changing', { from: 0 }, context())) {
          expect(chunk.length).toBeGreaterThan(0);
          if (changed) continue;
          changed = true;
          await writer.write('changing', chunksOf(randomBytes(6 * megabyte)), context());
          for (const socket of sockets) socket.destroy();
        }
      })();
      await expect(reading).rejects.toMatchObject(failure('schema_drift'));
    });

    it('sends again what was cut off while it was sent', async () => {
      const { net, sockets } = cuttableNet();
      const store = await open(net);
      const bytes = randomBytes(24 * megabyte);
      async function* cutting(): AsyncGenerator<Buffer> {
        for (let at = 0; at < bytes.length; at += megabyte) {
          yield bytes.subarray(at, at + megabyte);
          if (at === 9 * megabyte) for (const socket of sockets.splice(0)) socket.destroy();
        }
      }
      await store.write('sent', cutting(), context());
      expect((await readAll(store, 'sent')).equals(bytes)).toBe(true);
      expect(await keysOf(store, 'sent')).toEqual(['sent']);
    });
  });
};
