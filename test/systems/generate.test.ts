import { conformance } from '../connectors/conformance/conformance.js';

conformance({
  connector: 'generate',
  system: 'no system',
  network: false,
  start: async () => ({
    config: {},
    secrets: [],
    rows: {
      config: { rows: 20_000, seed: 7, columns: [{ name: 'id', generator: 'sequence' }] },
      expected: 20_000,
    },
    stop: async () => undefined,
  }),
});
