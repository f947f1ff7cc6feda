/**
 * `npm start`. This file must load in any Node that knows ES modules: it only checks the version;
 * everything else is below `start/`.
 */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(
    `Fluxline needs Node 20.19 or newer, this is ${process.version}: install a newer Node and start again.\n`,
  );
  process.exitCode = 1;
} else {
  import('./start/main.mjs').then(({ main }) => main());
}
