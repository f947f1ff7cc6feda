import type { OpenDeps } from '../connector.js';
import type { Browser } from '../browser.js';
import { withCluster } from './cluster.js';
import type { KafkaConfig } from './manifest.js';

const compare = (left: string, right: string): number => (left < right ? -1 : 1);

/** Topics stand for tables; there are no schemas. */
export const makeBrowser = (config: KafkaConfig, deps: OpenDeps): Browser => ({
  defaultSchema: null,

  tables: (schema, { search = '', limit, after }, ctx) =>
    withCluster(config, deps, ctx, async (cluster) => {
      if (schema !== undefined) return undefined;
      const wanted = search.toLowerCase();
      const names = [...(await cluster.topics())]
        .filter((name) => name.toLowerCase().includes(wanted))
        .filter((name) => after === undefined || name > after)
        .sort(compare);
      const items = names
        .slice(0, limit)
        .map((name) => ({ name, type: 'TABLE' as const, comment: null }));
      return { items, next: names.length > limit ? (items.at(-1)?.name ?? null) : null };
    }),
});
