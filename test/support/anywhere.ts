/** Directories that tests make for themselves. */
import { tmpdir } from 'node:os';

export const localDirectories = { allowed: [tmpdir()], refused: [] as string[] };
