import { conformance } from '../connectors/conformance/conformance.js';
import { startDuckdb } from '../connectors/duckdb/harness.js';

conformance({
  connector: 'duckdb',
  system: 'a database file',
  network: false,
  start: startDuckdb,
  skips: {
    'undo takes back what was appended, and nothing else':
      'nothing in a table says which rows a run has added: they gather beside it until the run is at its end, and up to then all of them can be taken back',
  },
});
