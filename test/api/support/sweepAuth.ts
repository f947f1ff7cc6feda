import type { Route, RouteTable } from '../../../api/route.js';
import { permissions } from '../../../core/permissions.js';
import { call } from './http.js';
import type { Answered } from './http.js';
import { strangerPath } from './placeholders.js';

export interface SweptServer {
  url: string;
  basePrefix: string;
  /** Well-formed keys that no longer work. */
  expired: string;
  revoked: string;
  /** A working key with these scopes. */
  issue: (scopes: readonly string[]) => Promise<string>;
}

export interface Sweep {
  requests: number;
  /** What was not as it must be; empty when all is well. */
  problems: string[];
}

interface Attempt {
  kind: string;
  token: string | undefined;
  status: number;
  challenge: string;
}

const judge = (route: Route, attempt: Attempt, answer: Answered): string[] => {
  const problems: string[] = [];
  const expectIt = (what: string, expected: unknown, found: unknown): void => {
    if (expected === found) return;
    const place = `${route.method} ${route.path}, ${attempt.kind}`;
    problems.push(`${place}: ${what} is ${String(found)}, not ${String(expected)}`);
  };
  expectIt('status', attempt.status, answer.status);
  expectIt('challenge', attempt.challenge, answer.headers['www-authenticate']);
  if (route.envelope.family === 'iceberg') {
    const type = attempt.status === 401 ? 'NotAuthorizedException' : 'ForbiddenException';
    expectIt('type', type, answer.json['error']?.['type']);
  } else {
    const code = attempt.status === 401 ? 'unauthenticated' : 'insufficient_scope';
    expectIt('code', code, answer.json['code']);
  }
  return problems;
};

/** Every route with every sort of token that must not open it. */
export const sweepAuth = async (
  tables: readonly RouteTable[],
  server: SweptServer,
): Promise<Sweep> => {
  const sweep: Sweep = { requests: 0, problems: [] };
  const invalid = 'Bearer error="invalid_token"';
  for (const route of tables.flatMap((table) => table.routes)) {
    const { scope } = route;
    if (scope === undefined) continue;
    const narrow = await server.issue(permissions.filter((other) => other !== scope));
    const attempts: Attempt[] = [
      { kind: 'no token', token: undefined, status: 401, challenge: 'Bearer' },
      { kind: 'malformed', token: 'flx_nonsense', status: 401, challenge: invalid },
      { kind: 'expired', token: server.expired, status: 401, challenge: invalid },
      { kind: 'revoked', token: server.revoked, status: 401, challenge: invalid },
      {
        kind: 'wrong scope',
        token: narrow,
        status: 403,
        challenge: `Bearer error="insufficient_scope", scope="${scope}"`,
      },
    ];
    for (const attempt of attempts) {
      const answer = await call(server.url + strangerPath(route, server.basePrefix), {
        method: route.method,
        ...(attempt.token === undefined ? {} : { token: attempt.token }),
      });
      sweep.requests += 1;
      sweep.problems.push(...judge(route, attempt, answer));
    }
  }
  return sweep;
};
