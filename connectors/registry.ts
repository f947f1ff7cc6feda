import { RunFailure } from '../core/failures.js';
import type { ConnectionConfig, Connector, ConnectorModule, OpenDeps } from './connector.js';

/** Loaded when first used: a driver nobody needs costs nothing. */
const modules: Readonly<Record<string, () => Promise<{ connector: ConnectorModule }>>> = {
  azure_blob: () => import('./azure_blob/connector.js'),
  duckdb: () => import('./duckdb/connector.js'),
  gcs: () => import('./gcs/connector.js'),
  generate: () => import('./generate/connector.js'),
  http: () => import('./http/connector.js'),
  http_files: () => import('./http_files/connector.js'),
  inline: () => import('./inline/connector.js'),
  kafka: () => import('./kafka/connector.js'),
  local: () => import('./local/connector.js'),
  mysql: () => import('./mysql/connector.js'),
  postgres: () => import('./postgres/connector.js'),
  s3: () => import('./s3/connector.js'),
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
