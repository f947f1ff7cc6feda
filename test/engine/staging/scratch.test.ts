import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, stat, utimes } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeScratch } from '../../../engine/staging/scratch.js';

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'scratch-'));
});

afterEach(() => rm(root, { recursive: true }));

it('gives directories that nobody else reads, and removes them', async () => {
  const scratch = await makeScratch(join(root, 'new'));
  const [one, two] = await Promise.all([scratch('split'), scratch('split')]);
  expect(one.path).not.toBe(two.path);
  expect((await stat(one.path)).mode & 0o777).toBe(0o700);
  await mkdir(join(one.path, 'deep'));
  await one.remove();
  await one.remove();
  await expect(stat(one.path)).rejects.toThrow();
  expect((await stat(two.path)).isDirectory()).toBe(true);
});

it('removes what processes of this host left that are gone, and nothing of the living', async () => {
  const gone = Number(execFileSync(process.execPath, ['-p', 'process.pid']).toString());
  const id = '00000000-0000-4000-8000-000000000000';
  const left = [`${hostname()}.${gone}.${id}`, `${hostname()}.${process.pid}.${id}`];
  const alive = [`${hostname()}.1.${id}`, `elsewhere.${gone}.${id}`, 'something'];
  const old = `elsewhere.7.${id}`;
  for (const name of [...left, ...alive, old])
    await mkdir(join(root, name, 'x'), { recursive: true });
  await utimes(join(root, old), new Date('2020-01-01'), new Date('2020-01-01'));
  const scratch = await makeScratch(root);
  await scratch('split');
  const names = await readdir(root);
  for (const name of alive) expect(names).toContain(name);
  expect(names).toHaveLength(alive.length + 1);
});
