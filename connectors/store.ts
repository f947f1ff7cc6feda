/**
 * Files under keys: what directories, S3 and their like have in common. A key is a relative path
 * with `/` between its parts. A written file is there whole or not at all.
 */
import type { CallContext } from './connector.js';

export interface StoreFile {
  key: string;
  bytes: number;
  /** Changes whenever the contents do. */
  etag: string;
  /** Where the store keeps older contents too: which of them this is. */
  version?: string;
  modifiedAt: Date;
}

export interface Store {
  /** Files whose key begins with the prefix, in order of their keys; those after `after`. */
  list(prefix: string, ctx: CallContext, options?: { after?: string }): AsyncIterable<StoreFile>;
  /** Undefined where there is no such file. */
  stat(key: string, ctx: CallContext): Promise<StoreFile | undefined>;
  /** Bytes [from, to); to the end without `to`. */
  read(key: string, range: { from: number; to?: number }, ctx: CallContext): AsyncIterable<Buffer>;
  /** Replaces what is there. A power failure may take it again where `durable` is false. */
  write(
    key: string,
    chunks: AsyncIterable<Buffer>,
    ctx: CallContext,
    options?: { durable?: boolean },
  ): Promise<StoreFile>;
  /** Where the store is on this host: the file's real path, which may be read but not written. */
  localPath?(key: string): Promise<string>;
  rename(from: string, to: string, ctx: CallContext): Promise<void>;
  /** Removing what is not there is no error. */
  remove(key: string, ctx: CallContext): Promise<void>;
}
