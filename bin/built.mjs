/** node bin/built.mjs <script> [arguments]: installs and builds what changed, then runs the built script. */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { prepareCheckout } from './start/build.mjs';
import { makeProgress } from './start/progress.mjs';
import { REPOSITORY } from './start/settings.mjs';

const [script = '', ...args] = process.argv.slice(2);
await prepareCheckout({ root: REPOSITORY }, makeProgress(process.stdout, process.stderr));
const child = spawn(
  process.execPath,
  [path.join(REPOSITORY, 'dist', 'bin', `${script}.js`), ...args],
  {
    stdio: 'inherit',
  },
);
child.once('exit', (code) => process.exit(code ?? 1));
