import { Client, Connection } from '@temporalio/client';

export interface TemporalSettings {
  address: string;
  namespace: string;
  /** Who acts, as histories name it; the process without one. */
  identity?: string;
}

/** Connects when it is first used, and again by itself after a loss. */
export const openTemporal = ({ identity, address, namespace }: TemporalSettings): Client =>
  new Client({
    connection: Connection.lazy({ address, connectTimeout: 5_000 }),
    namespace,
    ...(identity === undefined ? {} : { identity }),
  });
