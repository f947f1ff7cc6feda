import type { ConnectorModule } from '../connector.js';
import { checkStore } from '../objects/check.js';
import { dispatcherFor } from '../objects/dispatching.js';
import { openBucket } from './bucket.js';
import type { S3Config } from './manifest.js';
import { makeS3Store } from './store.js';

export const connector: ConnectorModule = {
  open: (connection, deps) => {
    const config = connection as S3Config;
    const { dispatcher, close } = dispatcherFor(config, deps);
    const store = makeS3Store(openBucket(config, deps.role, dispatcher), config.prefix);
    return { store, check: (ctx) => checkStore(store, deps.role, ctx), close };
  },
};
