import type { ConnectorModule } from '../connector.js';
import { makeBrowser } from './browser.js';
import { check } from './check.js';
import { makeDestination } from './destination.js';
import type { DuckdbConfig } from './manifest.js';
import { makeSource } from './source.js';

export const connector: ConnectorModule = {
  open: (connection, deps) => {
    const config = connection as DuckdbConfig;
    return {
      source: makeSource(config, deps),
      destination: makeDestination(config, deps),
      check: (ctx) => check(config, deps, ctx),
      browser: makeBrowser(config, deps),
      // The file is open only while a program runs; there is nothing to close between them.
      close: async () => undefined,
    };
  },
};
