import type { Checked } from '../../core/browse.js';
import type { CallContext, OpenDeps } from '../connector.js';
import { withCluster } from './cluster.js';
import type { KafkaConfig } from './manifest.js';

const loopback = /^(localhost|127\..*|\[?::1\]?)$/;

const isExposed = ({ brokers, ssl = 'disable' }: KafkaConfig): boolean =>
  ssl === 'disable' && brokers.some((broker) => !loopback.test(broker.replace(/:\d+$/, '')));

/** Logs in, and asks what will not work as it is. */
export const checkConnection = (
  config: KafkaConfig,
  deps: OpenDeps,
  ctx: CallContext,
): Promise<Checked> =>
  withCluster(config, deps, ctx, async (cluster) => {
    const topics = await cluster.topics();
    const notes: string[] = [];
    if (isExposed(config)) {
      const said = config.sasl?.mechanism === 'plain' ? ', the password included' : '';
      notes.push(
        `Nothing that is read or sent is encrypted${said}: use a listener with TLS and set ssl to verify-full.`,
      );
    }
    if (config.ssl === 'require') {
      notes.push('Who answers is not asked: set ssl to verify-full.');
    }
    if (topics.length === 0) {
      notes.push(
        'No topic can be seen: create one, or let the user do Describe with Read or Write on one.',
      );
    }
    // Brokers say which requests they know and not which version they are.
    const serverVersion = cluster.id === null ? null : `Kafka, cluster ${cluster.id}`;
    return { serverVersion, notes };
  });
