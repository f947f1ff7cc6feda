import { connectFailure } from '../../core/connecting.js';
import type { ConnectReason } from '../../core/connecting.js';
import { RunFailure } from '../../core/failures.js';
import type { Role } from '../manifest.js';

/** An answer that is not what was asked for. */
export interface Refusal {
  status: number;
  /** The service's own word for why; empty where it says none. */
  code: string;
}

/** How a service says no. */
export interface Words {
  role: Role;
  /** What is being reached, for people: bucket and host. */
  where: string;
  /** Its own words. */
  reasons: Readonly<Record<string, ConnectReason>>;
  /** Of them, that for a file which is not there. */
  missing?: string;
}

const reasonsByStatus: Readonly<Record<number, ConnectReason>> = {
  401: 'login_refused',
  403: 'permission_denied',
  404: 'database_missing',
};

/** Whether the same request may go better a little later. */
export const isPassing = (status: number): boolean =>
  status === 408 || status === 429 || (status >= 500 && status !== 501 && status !== 505);

const shown = ({ status, code }: Refusal, what: string | undefined): string => {
  // What stands here comes from the other side: a word is shown, a text is not.
  const word = /^[\w.-]{1,64}$/.test(code) ? ` ${code}` : '';
  return `[${status}${word}${what === undefined ? '' : `, ${what}`}]`;
};

export const missingFile = (key: string): RunFailure =>
  new RunFailure({
    code: 'schema_drift',
    class: 'schema',
    message: `There is no file ${key} (any more).`,
  });

/** `what` is the user's own name for the file. */
export const refusalFailure = (
  { role, where, reasons, missing }: Words,
  refusal: Refusal,
  what?: string,
): RunFailure => {
  const { status, code } = refusal;
  if (what !== undefined && status === 404 && code === missing) return missingFile(what);
  const detail = shown(refusal, what);
  const reason =
    (Object.hasOwn(reasons, code) ? reasons[code] : undefined) ?? reasonsByStatus[status];
  if (reason) return connectFailure(reason, { role, where, detail });
  if (status === 429 || status === 503) {
    return new RunFailure({
      code: `${role}_unreachable`,
      class: 'rate_limit',
      message: `${where}: it asks for fewer requests at once. ${detail}`,
    });
  }
  if (isPassing(status)) {
    return new RunFailure({
      code: `${role}_unreachable`,
      class: 'transient',
      message: `${where}: it does not work as it should just now. ${detail}`,
    });
  }
  const elsewhere = status >= 300 && status < 400;
  return new RunFailure({
    code: 'config_invalid',
    class: 'config',
    message: elsewhere
      ? `${where}: it is to be found elsewhere: check endpoint, region and name. ${detail}`
      : `${where}: it refused the request: check the settings of the connection. ${detail}`,
  });
};

export const changedFile = (key: string): RunFailure =>
  new RunFailure({
    code: 'schema_drift',
    class: 'schema',
    message: `The file ${key} changed while it was being read: run it again.`,
  });

export const oddAnswer = ({ where, role }: Pick<Words, 'where' | 'role'>): RunFailure =>
  new RunFailure({
    code: `${role}_unreachable`,
    class: 'transient',
    message: `${where}: its answer is not one of this service: check the endpoint.`,
  });
