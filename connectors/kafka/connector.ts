import type { ConnectorModule } from '../connector.js';
import { makeBrowser } from './browser.js';
import { checkConnection } from './check.js';
import { makeTopicDestination } from './destination.js';
import type { KafkaConfig } from './manifest.js';
import { makeTopicSource } from './source.js';

export const connector: ConnectorModule = {
  open: (connection, deps) => {
    const config = connection as KafkaConfig;
    return {
      documents: {
        source: makeTopicSource(config, deps),
        destination: makeTopicDestination(config, deps),
      },
      check: (ctx) => checkConnection(config, deps, ctx),
      browser: makeBrowser(config, deps),
      // Connections live as long as one call; there is nothing to close between them.
      close: async () => undefined,
    };
  },
};
