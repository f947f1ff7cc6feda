/** One thing that a connector has to do, and what it is tried with. */
import type { Connector, ConnectionConfig, Net } from '../../../connectors/connector.js';
import type { Capability, Manifest, Role } from '../../../connectors/manifest.js';
import type { Database, Harness, Part, System } from './harness.js';

export interface Opening {
  role?: Role;
  config?: ConnectionConfig;
  net?: Net;
  maxRowBytes?: number;
}

/** What a check gets. Connectors that it opens are closed after it. */
export interface Trial {
  harness: Harness;
  manifest: Manifest;
  system: System;
  open: (opening?: Opening) => Promise<Connector>;
  /** Sockets of the connectors that were opened for this check. */
  sockets: Sockets;
  /** A name that no other check uses. */
  freshName: (stem: string) => string;
}

export interface Sockets {
  opened: () => number;
  open: () => number;
  bytesRead: () => number;
}

export interface Check {
  /** In the report, and in a harness's `skips`. */
  name: string;
  part: Part;
  /** A connector that declares one of these has to pass; without any: every connector. */
  capabilities: readonly Capability[];
  /** Only for systems that are reached over a network. */
  network?: boolean;
  /** Why it cannot be run against any system. */
  never?: string;
  run: (trial: Trial) => Promise<void>;
}

/** A part that the harness has to bring for the check. */
export const required = <T>(part: T | undefined, what: string): T => {
  if (part !== undefined) return part;
  throw new Error(`There is no ${what}: add it, or say in the harness's skips why there is none.`);
};

/** A part of a connector that it may lack, to be called. */
export const method = <Owner extends object, Name extends keyof Owner>(
  owner: Owner,
  name: Name,
): NonNullable<Owner[Name]> => {
  const found = owner[name];
  if (typeof found !== 'function') {
    throw new Error(`The connector has no ${String(name)}: say in the harness's skips why not.`);
  }
  return found.bind(owner) as NonNullable<Owner[Name]>;
};

export const databaseOf = ({ system }: Trial): Database => required(system.database, 'database');
