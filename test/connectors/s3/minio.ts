/** Buckets on a MinIO of one's own. */
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Connector } from '../../../connectors/connector.js';
import { openConnector } from '../../../connectors/registry.js';
import type { S3Config } from '../../../connectors/s3/manifest.js';
import type { Store } from '../../../connectors/store.js';
import { startServer } from '../../support/serverProcess.js';
import { loopback, openDeps } from '../stores/anywhere.js';

export interface Minio {
  url: string;
  port: number;
  /** A bucket with nothing in it. */
  makeBucket: () => Promise<S3Config>;
  /** Closed with the server. */
  open: (config: S3Config, net?: typeof loopback) => Promise<Store>;
  stop: () => Promise<void>;
}

export const startMinio = async (): Promise<Minio> => {
  const base = await mkdtemp(join(tmpdir(), 'minio-'));
  const server = await startServer('minio', { directory: base });
  const { url, port, directory, region, accessKeyId, secretAccessKey } = server.ready;
  const opened: Connector[] = [];
  return {
    url,
    port,
    makeBucket: async () => {
      const bucket = `bucket-${randomUUID()}`;
      // A bucket is a directory; MinIO finds it.
      await mkdir(join(directory, bucket));
      return { endpoint: url, region, bucket, accessKeyId, secretAccessKey };
    },
    open: async (config, net = loopback) => {
      const connector = await openConnector('s3', config, openDeps(net));
      opened.push(connector);
      if (!connector.store) throw new Error('s3 has no store');
      return connector.store;
    },
    stop: async () => {
      for (const connector of opened) await connector.close();
      await server.stop();
      await rm(base, { recursive: true, force: true });
    },
  };
};
