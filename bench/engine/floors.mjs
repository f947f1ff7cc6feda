/** What the same work takes with the tools that are there anyway: psql, and DuckDB by itself. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const duckScript = fileURLToPath(new URL('../floor-duckdb.mjs', import.meta.url));

/** @param {string} command @param {NodeJS.ProcessEnv} env */
const shell = (command, env) =>
  new Promise((resolve, reject) => {
    const child = spawn('bash', ['-o', 'pipefail', '-ec', command], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    child.on('error', reject);
    child.on('exit', (code) =>
      code === 0 ? resolve(undefined) : reject(new Error(`a floor failed (${code}): ${command}`)),
    );
  });

/** @param {string} url of the database both ends are in */
export const makeFloors = (url) => {
  const env = { TARGET: url, DUCK: duckScript, NODE: process.execPath };
  const psql = 'psql -X -q -v ON_ERROR_STOP=1 "$TARGET"';
  const run = (/** @type {string} */ command) => shell(command, env);
  const sql = (/** @type {string} */ text) => run(`${psql} -c '${text.replaceAll("'", `'\\''`)}'`);
  const duck = (/** @type {string} */ text) =>
    shell(`"$NODE" "$DUCK" "$STATEMENT"`, { ...env, STATEMENT: text });
  return {
    sql,
    duck,
    /** Both ends in one shell pipe, in PostgreSQL's own binary form. */
    pipe: (/** @type {string} */ from, /** @type {string} */ to) =>
      run(
        `${psql} -c 'copy ${from} to stdout (format binary)' | ${psql} -c 'copy ${to} from stdin (format binary)'`,
      ),
    toCsv: (/** @type {string} */ from, /** @type {string} */ file) =>
      run(`${psql} -c '\\copy ${from} to ${file} (format csv)'`),
    fromCsv: (/** @type {string} */ file, /** @type {string} */ to) =>
      run(`${psql} -c '\\copy ${to} from ${file} (format csv, header)'`),
    script: (/** @type {string} */ text) => run(`${psql} <<'SQL'\n${text}\nSQL`),
  };
};
