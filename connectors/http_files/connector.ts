import type { ConnectorModule } from '../connector.js';
import { dispatcherFor } from '../objects/dispatching.js';
import type { HttpFilesConfig } from './manifest.js';
import { openSite } from './site.js';
import { checkSite, makeHttpFiles } from './store.js';

export const connector: ConnectorModule = {
  open: (connection, deps) => {
    const config = connection as HttpFilesConfig;
    const { dispatcher, close } = dispatcherFor(config, deps);
    const site = openSite(config, deps.role, dispatcher);
    const store = makeHttpFiles(site, config.files);
    return { store, check: (ctx) => checkSite(site, store, config.files, ctx), close };
  },
};
