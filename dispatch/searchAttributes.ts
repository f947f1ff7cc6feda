import { searchAttributes } from '../workflows/contract.js';
import { bounded } from './deps.js';
import type { DispatchDeps } from './deps.js';

const keyword = 2; // temporal.api.enums.v1.IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD

/** Registers what operators filter by in the Web UI; adding one that is there is refused, so look first. */
export const registerSearchAttributes = async ({
  client,
}: Pick<DispatchDeps, 'client'>): Promise<void> => {
  const { operatorService } = client.connection;
  const { namespace } = client.options;
  await bounded(client, async () => {
    const { customAttributes } = await operatorService.listSearchAttributes({ namespace });
    const missing = searchAttributes.filter((name) => !(name in customAttributes));
    if (missing.length === 0) return;
    await operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(missing.map((name) => [name, keyword])),
    });
  });
};
