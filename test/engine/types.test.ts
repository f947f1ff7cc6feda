/**
 * Moves every type through connectors and engine, and holds the documentation to what it sees. To
 * write it anew: FLX_WRITE_DOCS=1 npx jest --selectProjects unit -- test/engine/types
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { typesDocument } from './types/document.js';
import { makeWorld } from './types/world.js';
import type { World } from './types/world.js';

const path = join(__dirname, '../../docs/types.md');
const regenerate = 'FLX_WRITE_DOCS=1 npx jest --selectProjects unit -- test/engine/types';

let world: World;

beforeAll(async () => {
  world = await makeWorld();
});

afterAll(() => world.close());

/** The first line that differs, from both. */
const difference = (committed: string, seen: string): string => {
  const [was, is] = [committed.split('\n'), seen.split('\n')];
  const place = is.findIndex((line, index) => line !== was[index]);
  return `line ${place + 1} says\n${was[place] ?? ''}\nand what was seen is\n${is[place] ?? ''}`;
};

test('docs/types.md says what becomes of every type', async () => {
  const seen = await typesDocument(world);
  if (process.env['FLX_WRITE_DOCS'] === '1') await writeFile(path, seen);
  const committed = await readFile(path, 'utf8').catch(() => '');
  if (committed === seen) return;
  throw new Error(
    `docs/types.md is out of date: ${difference(committed, seen)}\nTo write it anew: ${regenerate}`,
  );
});
