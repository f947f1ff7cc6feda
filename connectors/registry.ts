import { RunFailure } from '../core/failures.js';
import type { ConnectionConfig, Connector, ConnectorModule, OpenDeps } from './connector.js';

/** Loaded when first used: a driver nobody needs costs nothing. */
const modules: Readonly<Record<string, () => Promise<{ connector: ConnectorModule }>>> = {
  generate: () => import('./generate/connector.js'),
  inline: () => import('./inline/connector.js'),
  local: () => import('./local/connector.js'),
  postgres: () => import('./postgres/connector.js'),
};

export const openConnector = async (
  id: string,
  config: ConnectionConfig,
  deps: OpenDeps,
): Promise<Connector> => {
  const load = Object.hasOwn(modules, id) ? modules[id] : undefined;
  if (!load) {
    throw new RunFailure({
      code: 'config_invalid',
      class: 'config',
      message: `There is no connector ${id}.`,
    });
  }
  const { connector } = await load();
  return connector.open(config, deps);
};
