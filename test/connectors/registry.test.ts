import { connectionManifest, connectionTypes, manifests } from '../../connectors/catalog.js';
import { openConnector } from '../../connectors/registry.js';
import { checkSchema } from '../../core/schema.js';
import { nodeTypes } from '../../core/nodes/index.js';
import { localDirectories } from '../support/anywhere.js';

const deps = {
  net: { connect: () => Promise.reject(new Error('nothing is to be reached yet')) },
  role: 'source' as const,
  maxRowBytes: 1024,
  localDirectories,
};

describe.each(manifests.map((manifest) => [manifest.id, manifest] as const))(
  '%s',
  (id, manifest) => {
    it('has an example that fits its schema', () => {
      expect(checkSchema(manifest.config, manifest.example, '')).toEqual([]);
    });

    it('keeps secret only keys that its schema knows', () => {
      for (const key of manifest.secretKeys) {
        expect(manifest.config.properties).toHaveProperty(key);
      }
      expect(new Set(manifest.secretKeys).size).toBe(manifest.secretKeys.length);
    });

    it('opens with the parts of its roles, and closes twice', async () => {
      const connector = await openConnector(id, manifest.example, deps);
      const parts = (['source', 'destination'] as const).filter(
        (role) => connector[role] ?? connector.documents?.[role],
      );
      // Over files the engine makes sources and destinations itself.
      expect(connector.store ? manifest.roles : parts).toEqual(manifest.roles);
      await connector.close();
      await connector.close();
    });
  },
);

it('has a connector for every end of a pipeline', () => {
  const served = manifests.flatMap(({ capabilities }) => capabilities);
  const ends = nodeTypes.filter(({ role }) => role !== 'transform');
  for (const { type } of ends) expect(served).toContain(type);
});

it('offers as connections those that have something to connect to', () => {
  expect(connectionTypes).toContain('postgres');
  for (const type of connectionTypes) expect(connectionManifest(type)?.id).toBe(type);
  for (const type of ['generate', 'inline', 'toString', '']) {
    expect(connectionManifest(type)).toBeUndefined();
  }
});

it.each(['oracle', '', 'toString', '__proto__'])('does not open "%s"', async (id) => {
  await expect(openConnector(id, {}, deps)).rejects.toMatchObject({
    failure: { code: 'config_invalid', class: 'config' },
  });
});
