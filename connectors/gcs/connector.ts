import type { ConnectorModule } from '../connector.js';
import { checkStore } from '../objects/check.js';
import { dispatcherFor } from '../objects/dispatching.js';
import { openBucket } from './bucket.js';
import type { GcsConfig } from './manifest.js';
import { makeGcsStore } from './store.js';

export const connector: ConnectorModule = {
  open: (connection, deps) => {
    const config = connection as GcsConfig;
    const { dispatcher, close } = dispatcherFor(config, deps);
    const store = makeGcsStore(openBucket(config, deps.role, dispatcher), config.prefix);
    return { store, check: (ctx) => checkStore(store, deps.role, ctx), close };
  },
};
