/**
 * What a run keeps between its stages and attempts: datasets and spools, as files of a store under
 * `<job>/<stage>/<file>`. Every worker sees the same store.
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { CallContext, ConnectionConfig, Connector } from '../../connectors/connector.js';
import type { Store } from '../../connectors/store.js';
import { RunFailure } from '../../core/failures.js';
import { stagingConnection } from './address.js';
import type { StagingCredentials } from './address.js';
import { makeUsage } from './usage.js';

/** Names of stages and files are words of ours or ids of nodes, with any character in them. */
export interface StagedName {
  job: string;
  stage: string;
  file: string;
}

export interface StagedFile extends StagedName {
  bytes: number;
}

export interface Staging {
  /** Puts a copy of a file of this host there; replaces one of the same name. */
  put(name: StagedName, path: string, ctx: CallContext): Promise<void>;
  /** In an order that stays; of one stage where it is named. */
  list(job: string, stage: string | undefined, ctx: CallContext): AsyncIterable<StagedFile>;
  /** Where the file can be read on this host: in place, or fetched into the directory. */
  fetch(name: StagedName, directory: string, ctx: CallContext): Promise<string>;
  remove(name: StagedName, ctx: CallContext): Promise<void>;
  removeJob(job: string, ctx: CallContext): Promise<void>;
  usage(ctx: CallContext): Promise<number>;
  /** Removes what nobody has written to since; tells how many files. */
  sweep(unchangedSince: Date, ctx: CallContext): Promise<number>;
  /**
   * Writes, reads and answers the mark of this store, the same for all who see the same one. Where
   * two workers' differ, each asks once more before it refuses: they may have begun together.
   */
  prove(ctx: CallContext): Promise<string>;
  close(): Promise<void>;
}

export interface StagingSettings {
  /** FLX_STAGING_URL: a path, or an URL. */
  url: string;
  credentials?: StagingCredentials;
  /** FLX_STAGING_MAX_BYTES. */
  maxBytes: number;
  openConnector(id: string, config: ConnectionConfig): Promise<Connector>;
}

const refused = (message: string): RunFailure =>
  new RunFailure({ code: 'config_invalid', class: 'config', message });

const jobsPrefix = 'jobs/';

const prefixOf = (job: string, stage?: string): string => {
  const words = stage === undefined ? [job] : [job, stage];
  return `${jobsPrefix}${words.map(encodeWord).join('/')}/`;
};

/** A dot is encoded, too: `..` is a name like any other here. */
const encodeWord = (word: string): string => encodeURIComponent(word).replaceAll('.', '%2E');

const keyOf = ({ job, stage, file }: StagedName): string =>
  `${prefixOf(job, stage)}${encodeURIComponent(file)}`;

const nameOf = (key: string): StagedName => {
  const words = key.slice(jobsPrefix.length).split('/').map(decodeURIComponent);
  const [job = '', stage = '', file = ''] = words;
  return { job, stage, file };
};

const markKey = 'store.id';

const readText = async (store: Store, key: string, ctx: CallContext): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of store.read(key, { from: 0, to: 1024 }, ctx)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
};

async function* textChunks(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}

export const openStaging = async (settings: StagingSettings): Promise<Staging> => {
  const { id, config } = stagingConnection(settings.url, settings.credentials ?? {});
  const connector = await settings.openConnector(id, config);
  const { store } = connector;
  if (!store) throw refused(`A connection of type ${id} holds no files.`);
  const usage = makeUsage(store, settings.maxBytes);

  const removeBelow = async (
    prefix: string,
    which: (modifiedAt: Date) => boolean,
    ctx: CallContext,
  ): Promise<number> => {
    let removed = 0;
    for await (const { key, modifiedAt } of store.list(prefix, ctx)) {
      if (!which(modifiedAt)) continue;
      await store.remove(key, ctx);
      removed += 1;
    }
    return removed;
  };

  return {
    put: async (name, path, ctx) => {
      const { size } = await stat(path);
      const reserved = await usage.reserve(size, ctx);
      try {
        const chunks = createReadStream(path, { highWaterMark: 256 * 1024 });
        // What a host loses by a power failure, its runs make again.
        await store.write(keyOf(name), chunks, ctx, { durable: false });
      } finally {
        reserved.release();
      }
    },

    list: async function* list(job, stage, ctx) {
      for await (const { key, bytes } of store.list(prefixOf(job, stage), ctx)) {
        yield { ...nameOf(key), bytes };
      }
    },

    fetch: async (name, directory, ctx) => {
      const key = keyOf(name);
      if (store.localPath) return store.localPath(key);
      const path = join(directory, randomUUID());
      const chunks = Readable.from(store.read(key, { from: 0 }, ctx), { objectMode: true });
      await pipeline(chunks, createWriteStream(path), { signal: ctx.signal });
      return path;
    },

    remove: (name, ctx) => store.remove(keyOf(name), ctx),

    removeJob: async (job, ctx) => {
      await removeBelow(prefixOf(job), () => true, ctx);
    },

    usage: (ctx) => usage.measure(ctx),

    sweep: (unchangedSince, ctx) =>
      removeBelow(jobsPrefix, (modifiedAt) => modifiedAt < unchangedSince, ctx),

    prove: async (ctx) => {
      if (!(await store.stat(markKey, ctx))) {
        await store.write(markKey, textChunks(randomUUID()), ctx);
      }
      // Being able to read is not being able to write.
      const trial = `trial-${randomUUID()}`;
      await store.write(trial, textChunks(trial), ctx);
      const written = await readText(store, trial, ctx);
      await store.remove(trial, ctx);
      if (written === trial) return readText(store, markKey, ctx);
      throw refused('The staging store does not give back what is written to it.');
    },

    close: () => connector.close(),
  };
};
