import { RunFailure } from '../core/failures.js';

/** Which end of a stage is being reached. */
export type EndRole = 'source' | 'destination';

export const refused = (host: string): RunFailure =>
  new RunFailure({
    code: 'egress_denied',
    class: 'config',
    message: `Connections to ${host} are not allowed from here: its address is not a public one. An operator can allow it with FLX_EGRESS_ALLOW_CIDRS.`,
  });

const reasons: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the name server did not answer',
  ECONNREFUSED: 'nothing listens at this address',
  ETIMEDOUT: 'it did not answer in time',
  EHOSTUNREACH: 'there is no way to this host',
  ENETUNREACH: 'there is no way to this network',
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
  const reason = reasons[code] ?? 'the connection failed';
  return new RunFailure(
    {
      code: `${role}_unreachable`,
      class: 'transient',
      message: `Cannot reach ${host}:${port}: ${reason}${code === '' ? '' : ` [${code}]`}.`,
    },
    { cause: error },
  );
};
