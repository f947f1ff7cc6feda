import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

const ROOT = path.join(__dirname, '..', '..');
const execute = promisify(execFile);

/**
 * Evaluates the body of an async function in a Node process of its own, and returns what it
 * returns, as JSON. `load('servers/ports.mjs')` imports one of our modules there, `args` is ours.
 */
export async function runModule<Result>(
  body: string,
  args: Record<string, unknown> = {},
  env: NodeJS.ProcessEnv = process.env,
): Promise<Result> {
  const source = `
    import { pathToFileURL } from 'node:url';
    const load = (file) => import(pathToFileURL(${JSON.stringify(`${ROOT}/`)} + file).href);
    const args = ${JSON.stringify(args)};
    const result = await (async () => { ${body} })();
    process.stdout.write('\\n' + JSON.stringify({ result }));
    process.exit();
  `;
  const { stdout } = await execute(process.execPath, ['--input-type=module', '-e', source], {
    cwd: ROOT,
    env,
    timeout: 60_000,
  });
  const last = stdout.trim().split('\n').at(-1) ?? '';
  return (JSON.parse(last) as { result: Result }).result;
}
