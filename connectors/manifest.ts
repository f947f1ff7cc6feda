import type { TObject } from '@sinclair/typebox';

export type Role = 'source' | 'destination';

/** Node types it can be an end of, and what can be asked of it live. */
export type Capability =
  | `source.${string}`
  | `destination.${string}`
  | 'check'
  | 'schemas'
  | 'tables'
  | 'catalogs'
  | 'preview'
  | 'query'
  | 'files';

/** What a connector is, as data: the API reads it without loading a driver. */
export interface Manifest {
  id: string;
  title: string;
  roles: readonly Role[];
  /** Schema of a connection's `config`, secrets included. */
  config: TObject;
  /** Keys of `config` that are sealed into a credential and never shown again. */
  secretKeys: readonly string[];
  capabilities: readonly Capability[];
  /** In which SQL its queries are: how they are read before they are run. */
  dialect?: 'postgres' | 'mysql' | 'duckdb';
  /** The key of `config` that says what a preview shows where nothing is named. */
  defaultObject?: string;
  example: Readonly<Record<string, unknown>>;
  /** What to know before relying on it, a sentence or two each. */
  remarks?: readonly string[];
}
