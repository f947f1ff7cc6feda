import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(__dirname, '..', '..');

interface Cruised {
  summary: { violations: { from: string; to: string }[] };
}

/** A little house in which everybody imports what they must not, held against the real rules. */
test('the import rules find what they forbid: files, packages and built-ins', async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs'),
      ...['--config', join(root, '.dependency-cruiser.cjs'), '--output-type', 'json'],
      ...['core', 'api', 'workflows', 'connectors', 'db'],
    ],
    { cwd: join(root, 'test/fixtures/walls'), timeout: 60_000 },
  );
  const { summary } = JSON.parse(stdout) as Cruised;
  const found = summary.violations.map(
    ({ from, to }) => `${from} → ${/node_modules\/([^/]+)/.exec(to)?.[1] ?? to}`,
  );
  expect(found.sort()).toEqual([
    'api/routes/planted.ts → api/routes/other.ts',
    'api/routes/planted.ts → koa',
    'connectors/postgres/connector.ts → connectors/mysql/connector.ts',
    'core/planted.ts → db/repos/repo.ts',
    'core/planted.ts → fs',
    'core/planted.ts → pg',
    'workflows/planted.ts → connectors/postgres/connector.ts',
    'workflows/planted.ts → pino',
  ]);
});
