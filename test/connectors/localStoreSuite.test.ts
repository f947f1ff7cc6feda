import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openConnector } from '../../connectors/registry.js';
import { localDirectories } from '../support/anywhere.js';
import { storeSuite } from './stores/suite.js';

const net = { connect: () => Promise.reject(new Error('files need no network')) };

let base: string;
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'local-suite-'));
});
afterAll(() => rm(base, { recursive: true }));

storeSuite({
  title: 'local',
  fresh: async () => {
    const directory = await mkdtemp(join(base, 'store-'));
    const deps = { net, role: 'destination' as const, maxRowBytes: 1024, localDirectories };
    const { store } = await openConnector('local', { directory }, deps);
    if (!store) throw new Error('local has no store');
    const leftovers = async (): Promise<number> =>
      (await readdir(directory, { recursive: true })).filter((name) => name.includes('.flx-'))
        .length;
    return { store, leftovers };
  },
});
