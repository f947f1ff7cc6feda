import type { ConnectorModule } from '../connector.js';
import { checkStore } from '../objects/check.js';
import { dispatcherFor } from '../objects/dispatching.js';
import { openContainer } from './container.js';
import type { AzureConfig } from './manifest.js';
import { makeAzureStore } from './store.js';

export const connector: ConnectorModule = {
  open: (connection, deps) => {
    const config = connection as AzureConfig;
    const { dispatcher, close } = dispatcherFor(config, deps);
    const store = makeAzureStore(openContainer(config, deps.role, dispatcher), config.prefix);
    return { store, check: (ctx) => checkStore(store, deps.role, ctx), close };
  },
};
