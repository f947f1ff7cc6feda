import { connectFailure } from '../../core/connecting.js';
import type { ConnectReason } from '../../core/connecting.js';
import { RunFailure } from '../../core/failures.js';
import type { Failure } from '../../core/failures.js';
import type { Role } from '../manifest.js';
import { shownAddress } from './address.js';

export interface Answer {
  status: number;
  header: (name: string) => string | undefined;
  body: Buffer;
}

export interface Asked {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  url: URL;
}

/** Whether the same request may go better a little later. */
export const isPassing = (status: number): boolean =>
  status === 408 ||
  status === 425 ||
  status === 429 ||
  (status >= 500 && ![501, 505].includes(status));

const reasons: Readonly<Record<number, ConnectReason>> = {
  401: 'login_refused',
  403: 'permission_denied',
};

const whereOf = ({ method, url }: Asked): string => `${method} ${shownAddress(url)}`;

const leadsTo = (asked: Asked, answer: Answer): string => {
  try {
    const { origin, pathname } = new URL(answer.header('location') ?? '', asked.url);
    return ` (${origin}${pathname})`;
  } catch {
    return '';
  }
};

/** What is wrong with an answer that is none of those wanted. */
export const refusalOf = (
  asked: Asked,
  answer: Answer,
  passing: boolean,
  role: Role,
): RunFailure => {
  const { status } = answer;
  const reason = reasons[status];
  if (reason) {
    return connectFailure(reason, { role, where: whereOf(asked), detail: `[${status}]` });
  }
  const say = (failureClass: Failure['class'], what: string): RunFailure =>
    new RunFailure({
      code: failureClass === 'config' ? 'config_invalid' : `${role}_unreachable`,
      class: failureClass,
      message: `${whereOf(asked)}: ${what} [${status}]`,
    });
  if (status === 429) {
    return say('rate_limit', 'it asks for fewer requests: set rateLimit of the connection.');
  }
  if (passing) return say('transient', 'it does not work as it should just now.');
  if (status >= 300 && status < 400) {
    const where = leadsTo(asked, answer);
    return say('config', `it leads elsewhere${where}: set baseUrl and path to that address.`);
  }
  if (status === 404 || status === 410) {
    return say('config', 'there is nothing at this address: check baseUrl and path.');
  }
  if (status === 405) return say('config', 'the address does not take this method: set another.');
  return say('config', 'it refused the request: check what is sent with it.');
};

/** An answer that was to be JSON and is not. */
export const notJson = (asked: Asked, { status, header }: Answer, why: string): RunFailure => {
  const [type = ''] = (header('content-type') ?? '').split(';');
  const shown = /^[\w.+/-]{1,100}$/.test(type.trim()) ? type.trim() : 'no type';
  return new RunFailure({
    code: 'config_invalid',
    class: 'config',
    message: `${whereOf(asked)}: the answer is not JSON (${why}): check baseUrl and path. [${status}, ${shown}]`,
  });
};

export const tooLarge = (asked: Asked, most: number): RunFailure =>
  new RunFailure({
    code: 'config_invalid',
    class: 'config',
    message: `${whereOf(asked)}: the answer is larger than ${most} bytes: ask for smaller pages.`,
  });

export const leftAlone = (asked: Asked, seconds: number, role: Role): RunFailure =>
  new RunFailure({
    code: `${role}_unreachable`,
    class: 'rate_limit',
    message: `${whereOf(asked)}: it asks to be left alone for ${seconds} seconds.`,
  });
