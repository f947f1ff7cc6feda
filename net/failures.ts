import { connectFailure } from '../core/connecting.js';
import type { ConnectReason } from '../core/connecting.js';
import { RunFailure } from '../core/failures.js';

/** Which end of a stage is being reached. */
export type EndRole = 'source' | 'destination';

export const refused = (host: string): RunFailure =>
  new RunFailure({
    code: 'egress_denied',
    class: 'config',
    message: `Connections to ${host} are not allowed from here: its address is not a public one. An operator can allow it with FLX_EGRESS_ALLOW_CIDRS.`,
  });

const reasons: Readonly<Record<string, ConnectReason>> = {
  ENOTFOUND: 'host_unknown',
  EAI_AGAIN: 'host_unknown',
  ECONNREFUSED: 'connection_refused',
  ETIMEDOUT: 'connect_timeout',
  EHOSTUNREACH: 'network_unreachable',
  ENETUNREACH: 'network_unreachable',
};

/** Why no connection came about; one that is classified already stays as it is. */
export const unreachable = (
  error: unknown,
  host: string,
  port: number,
  role: EndRole,
): RunFailure => {
  if (error instanceof RunFailure) return error;
  const code = (error as { code?: string } | undefined)?.code ?? '';
  const where = `Cannot reach ${host}:${port}`;
  const detail = code === '' ? {} : { detail: `[${code}]` };
  return connectFailure(reasons[code] ?? 'connection_lost', {
    role,
    where,
    ...detail,
    cause: error,
  });
};
