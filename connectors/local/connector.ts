import type { ConnectorModule } from '../connector.js';
import type { LocalConfig } from './manifest.js';
import { makeLocalStore } from './store.js';

export const connector: ConnectorModule = {
  open: (connection, { role, localDirectories }) => {
    const { directory } = connection as LocalConfig;
    // Files are open only while they are read or written; there is nothing to close.
    return {
      store: makeLocalStore(directory, role, localDirectories),
      close: async () => undefined,
    };
  },
};
