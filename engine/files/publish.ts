import { posix } from 'node:path';
import type { CallContext, Delivery, UndoResult } from '../../connectors/connector.js';
import type { Store } from '../../connectors/store.js';
import { RunFailure } from '../../core/failures.js';
import {
  attemptOf,
  attemptPrefix,
  hiddenPrefix,
  journalKey,
  manifestKey,
  visibleKey,
} from './fileNames.js';
import type { Attempt } from './fileNames.js';

/** What an attempt has written: said once all of it is there. */
export interface AttemptManifest {
  rows: number;
  /** Below the attempt's directory. */
  files: readonly string[];
}

interface PublishedFile {
  hidden: string;
  visible: string;
}

interface PublishedSplit {
  split: number;
  rows: number;
  files: readonly PublishedFile[];
}

/** Everything that a delivery makes visible. It is there before the first of it is. */
interface Journal {
  generation: number;
  splits: readonly PublishedSplit[];
}

const mostBytes = 256 * 1024 * 1024;

const broken = (message: string): RunFailure =>
  new RunFailure({ code: 'internal', class: 'internal', message });

const readJson = async <Value>(
  store: Store,
  key: string,
  ctx: CallContext,
): Promise<Value | undefined> => {
  const file = await store.stat(key, ctx);
  if (!file) return undefined;
  if (file.bytes > mostBytes) throw broken('A list of files is too long.');
  const chunks: Buffer[] = [];
  for await (const chunk of store.read(key, { from: 0 }, ctx)) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString()) as Value;
};

async function* jsonChunks(value: unknown): AsyncGenerator<Buffer> {
  yield Buffer.from(JSON.stringify(value));
}

export const writeJson = async (
  store: Store,
  key: string,
  value: unknown,
  ctx: CallContext,
): Promise<void> => {
  await store.write(key, jsonChunks(value), ctx);
};

const splitOf = async (
  store: Store,
  path: string,
  delivery: Delivery,
  winner: Attempt,
  ctx: CallContext,
): Promise<PublishedSplit> => {
  const key = manifestKey(path, delivery, winner);
  const manifest = await readJson<AttemptManifest>(store, key, ctx);
  if (!manifest) throw broken(`The files of split ${winner.split} are not there.`);
  const prefix = attemptPrefix(path, delivery, winner);
  const perDirectory = new Map<string, number>();
  const files = manifest.files.map((relative): PublishedFile => {
    const directory = posix.dirname(relative);
    const number = perDirectory.get(directory) ?? 0;
    perDirectory.set(directory, number + 1);
    const within = relative.slice(relative.indexOf('/') + 1);
    const visible = visibleKey(path, delivery, winner.split, within, number);
    return { hidden: `${prefix}${relative}`, visible };
  });
  return { split: winner.split, rows: manifest.rows, files };
};

const journalOf = async (
  store: Store,
  path: string,
  delivery: Delivery,
  winners: readonly Attempt[],
  ctx: CallContext,
): Promise<Journal> => {
  const key = journalKey(path, delivery);
  const written = await readJson<Journal>(store, key, ctx);
  if (written?.generation === delivery.generation) return written;
  const splits: PublishedSplit[] = [];
  for (const winner of winners) splits.push(await splitOf(store, path, delivery, winner, ctx));
  const journal: Journal = { generation: delivery.generation, splits };
  await writeJson(store, key, journal, ctx);
  return journal;
};

/** Moves the winners' files to where they are seen. Called again, it goes on where it stopped. */
export const publishFiles = async (
  store: Store,
  path: string,
  delivery: Delivery,
  winners: readonly Attempt[],
  ctx: CallContext,
): Promise<void> => {
  const journal = await journalOf(store, path, delivery, winners, ctx);
  for (const { split, files } of journal.splits) {
    for (const { hidden, visible } of files) {
      ctx.signal.throwIfAborted();
      if (await store.stat(hidden, ctx)) await store.rename(hidden, visible, ctx);
      else if (!(await store.stat(visible, ctx))) {
        throw broken(`A file of split ${split} is neither hidden nor published: ${visible}.`);
      }
    }
  }
  await removeHidden(store, path, delivery, () => true, ctx);
};

/** Removes attempts' files; the journal stays. */
export const removeHidden = async (
  store: Store,
  path: string,
  delivery: Delivery,
  which: (generation: number) => boolean,
  ctx: CallContext,
): Promise<number> => {
  const splits = new Set<number>();
  for await (const { key } of store.list(hiddenPrefix(path, delivery), ctx)) {
    const attempt = attemptOf(path, delivery, key);
    if (!attempt || !which(attempt.generation)) continue;
    splits.add(attempt.split);
    await store.remove(key, ctx);
  }
  return splits.size;
};

/** Takes back what is visible of a delivery, of generations that `which` names. */
export const unpublish = async (
  store: Store,
  path: string,
  delivery: Delivery,
  which: (generation: number) => boolean,
  ctx: CallContext,
): Promise<UndoResult> => {
  const key = journalKey(path, delivery);
  const journal = await readJson<Journal>(store, key, ctx);
  const result: UndoResult = { splits: 0, rowsRemoved: 0, rowsMissing: 0 };
  if (!journal || !which(journal.generation)) return result;
  for (const { rows, files } of journal.splits) {
    let missing = false;
    for (const { visible, hidden } of files) {
      ctx.signal.throwIfAborted();
      const there = (await store.stat(visible, ctx)) ?? (await store.stat(hidden, ctx));
      if (!there) missing = true;
      await store.remove(visible, ctx);
    }
    result.splits += 1;
    if (missing) result.rowsMissing += rows;
    else result.rowsRemoved += rows;
  }
  // Last: until then a repeated call finds what is left to do.
  await store.remove(key, ctx);
  return result;
};
