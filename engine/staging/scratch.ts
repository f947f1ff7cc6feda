import { randomUUID } from 'node:crypto';
import { mkdir, readdir, realpath, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

/** A directory of this process alone. */
export interface Scratch {
  path: string;
  remove: () => Promise<void>;
}

/** `purpose` is for whoever looks into the directory: a word. */
export type MakeScratch = (purpose: string) => Promise<Scratch>;

/** What another host left is only known to be left by its age. */
const oldMs = 24 * 60 * 60 * 1000;

const ownerName = /^(.+)\.(\d+)\.([0-9a-f-]{36})$/;

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as { code?: unknown }).code === 'EPERM';
  }
};

/** Whether the process that a directory is named after is gone. */
const isLeft = async (path: string, name: string): Promise<boolean> => {
  const [, host, pid] = ownerName.exec(name) ?? [];
  if (host === undefined) return false;
  // A process in a container often has the same number as the one before it.
  if (host === hostname() && (Number(pid) === process.pid || !isAlive(Number(pid)))) return true;
  const { mtimeMs } = await stat(path);
  return mtimeMs < Date.now() - oldMs;
};

const removeLeftovers = async (root: string): Promise<void> => {
  for (const name of await readdir(root)) {
    const path = join(root, name);
    // Another process that starts now may remove it first.
    const left = await isLeft(path, name).catch(() => false);
    if (left) await rm(path, { recursive: true, force: true });
  }
};

/**
 * Directories below one for work in progress; what dead processes left there is removed first.
 * Called once in a process.
 */
export const makeScratch = async (directory: string): Promise<MakeScratch> => {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  // DuckDB is only let into real paths.
  const root = await realpath(directory);
  await removeLeftovers(root);
  const own = join(root, `${hostname()}.${process.pid}.${randomUUID()}`);
  await mkdir(own, { mode: 0o700 });
  return async (purpose) => {
    const path = join(own, `${purpose}-${randomUUID()}`);
    await mkdir(path, { recursive: true, mode: 0o700 });
    return { path, remove: () => rm(path, { recursive: true, force: true }) };
  };
};
