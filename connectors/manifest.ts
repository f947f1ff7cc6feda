import type { TObject } from '@sinclair/typebox';

export type Role = 'source' | 'destination';

/** What a connector is, as data: the API reads it without loading a driver. */
export interface Manifest {
  id: string;
  title: string;
  roles: readonly Role[];
  /** Schema of a connection's `config`, secrets included. */
  config: TObject;
  /** Keys of `config` that are sealed into a credential and never shown again. */
  secretKeys: readonly string[];
  capabilities: readonly string[];
  example: Readonly<Record<string, unknown>>;
}
