import { conformance } from '../connectors/conformance/conformance.js';

conformance({
  connector: 'inline',
  system: 'no system',
  network: false,
  start: async () => ({
    config: {},
    secrets: [],
    rows: {
      config: {
        columns: [
          { name: 'id', type: 'integer' },
          { name: 'name', type: 'text' },
        ],
        rows: [
          [1, 'it\'s "ü"\n表'],
          [2, ''],
          [3, null],
        ],
      },
      expected: 3,
    },
    stop: async () => undefined,
  }),
});
