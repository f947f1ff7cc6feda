/** MariaDB in full; and as far as a server that takes no files differs. */
import { conformance } from '../connectors/conformance/conformance.js';
import { startMariadb } from '../connectors/mysql/harness.js';

conformance({
  connector: 'mysql',
  system: 'MariaDB 10.11',
  network: true,
  start: () => startMariadb(),
});

conformance({
  connector: 'mysql',
  system: 'MariaDB 10.11 without local_infile',
  network: true,
  parts: ['write', 'copy'],
  start: () => startMariadb({ local_infile: 'OFF' }),
});
