import fc from 'fast-check';
import { errorsByStatus } from '../../../../api/errorsDeclared.js';
import { mountedPath } from '../../../../api/family.js';
import type { Route, RouteTable } from '../../../../api/route.js';
import { errorCodes } from '../../../../core/errors.js';
import { call, textOf } from '../http.js';
import type { Answered } from '../http.js';
import { draftsOf } from './requests.js';
import type { Draft } from './requests.js';
import { Pools } from './pools.js';
import { makeRequest } from './spoiling.js';

export interface FuzzOptions {
  url: string;
  basePrefix: string;
  token: string;
  /** Spread evenly over the routes. */
  requests: number;
  seed: number;
  /** Where the ids of a body or query field come from: `projectId` → `/api/projects`. */
  references: Readonly<Record<string, string>>;
  /** Ids that exist at the start, by collection. */
  known: Readonly<Record<string, readonly string[]>>;
  /** Ids never to be touched, such as that of the key in use. */
  spared: readonly string[];
  /** Bodies of routes whose schema says less than their handler wants, by name. */
  bodies: Readonly<Record<string, fc.Arbitrary<unknown>>>;
  /** Queries of such routes. */
  queries: Readonly<Record<string, fc.Arbitrary<object>>>;
  /** Routes that cannot succeed here, each with the reason. */
  hopeless: Readonly<Record<string, string>>;
  /** Routes that succeed by luck only, each with the reason. */
  rare: Readonly<Record<string, string>>;
  /** Routes that are not to be called at all, each with the reason. */
  skipped: Readonly<Record<string, string>>;
}

export interface FuzzReport {
  /** Answers by route and status. */
  counts: Map<string, Map<number, number>>;
  requests: number;
  /** Shares of requests that passed token and limiter, and of bodies that passed validation. */
  admitted: number;
  validBodies: number;
  /** Empty when all is well. */
  problems: string[];
}

const queryOf = (fields: Readonly<Record<string, unknown>>): string => {
  const pairs = Object.entries(fields).flatMap(([name, value]) =>
    (Array.isArray(value) ? (value as unknown[]) : [value]).map((one) =>
      [name, String(one)].map(encodeURIComponent).join('='),
    ),
  );
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
};

/** Reasons for which a body did not get as far as the handler. */
const unread: ReadonlySet<string> = new Set([
  'validation_failed',
  'malformed_body',
  'body_too_large',
  'unsupported_media_type',
]);

/** A failure of ours is declared only where a route says so itself: the server under test is well. */
const declares = (route: Route, status: number): boolean => {
  if (status < 500) return errorsByStatus(route).has(status);
  const own = [...(route.errors ?? []), ...(route.mode === 'live' ? (['no_worker'] as const) : [])];
  return own.some((code) => errorCodes[code] === status);
};

interface Tally {
  refused: number;
  bodies: number;
  validBodies: number;
}

export const fuzz = async (
  tables: readonly RouteTable[],
  options: FuzzOptions,
): Promise<FuzzReport> => {
  const routes = tables
    .flatMap((table) => table.routes)
    .filter(({ name }) => options.skipped[name] === undefined);
  const each = Math.ceil(options.requests / routes.length);
  const drafts = new Map<string, Draft[]>(
    routes.map((route) => [
      route.name,
      fc.sample(draftsOf(route, options.bodies[route.name], options.queries[route.name]), {
        numRuns: each,
        seed: options.seed,
      }),
    ]),
  );
  const pools = new Pools(options);
  const report: FuzzReport = {
    counts: new Map(),
    requests: 0,
    admitted: 1,
    validBodies: 1,
    problems: [],
  };
  const tally: Tally = { refused: 0, bodies: 0, validBodies: 0 };

  const sendOne = async (route: Route, draft: Draft): Promise<void> => {
    const fill = (value: unknown): unknown => pools.fill(value, route.method === 'DELETE');
    const path = mountedPath(route.path, options.basePrefix).replace(
      /\{([^{}]+)\}/g,
      (_braces, name: string) => encodeURIComponent(String(fill(draft.params[name]))),
    );
    const query = queryOf(fill(draft.query) as Record<string, unknown>);
    const { target, call: how } = makeRequest(
      { path, query, body: fill(draft.body), endsInParam: route.path.endsWith('}') },
      draft.spoil,
    );
    const answer = await call(options.url + target, {
      method: route.method,
      ...(route.public ? {} : { token: options.token }),
      ...how,
    });
    pools.learn(route, answer);
    judge(route, answer, how.body !== undefined, `${route.method} ${target.slice(0, 200)}`);
  };

  const judge = (route: Route, answer: Answered, hadBody: boolean, place: string): void => {
    const { status, json } = answer;
    report.requests += 1;
    const counts = report.counts.get(route.name) ?? new Map<number, number>();
    report.counts.set(route.name, counts.set(status, (counts.get(status) ?? 0) + 1));
    const code = textOf(json['code']);
    if (status === 401 || status === 429 || code === 'insufficient_scope') tally.refused += 1;
    if (hadBody && route.body) {
      tally.bodies += 1;
      // The catalog's errors have no code of ours: there a 400 is a body that was not read.
      if (!unread.has(code) && (code !== '' || status !== 400)) tally.validBodies += 1;
    }
    if (status >= 400 && !declares(route, status)) {
      const text = `${place}: ${status} ${code} is not declared`;
      report.problems.push(status >= 500 ? `${text}: ${answer.text.slice(0, 300)}` : text);
    }
  };

  for (let turn = 0; turn < each; turn++) {
    for (const route of routes) {
      const draft = drafts.get(route.name)?.[turn];
      if (draft) await sendOne(route, draft);
    }
  }
  report.admitted = 1 - tally.refused / Math.max(1, report.requests);
  report.validBodies = tally.validBodies / Math.max(1, tally.bodies);
  report.problems.push(...shortfalls(report, routes, options, tally));
  return report;
};

const shortfalls = (
  report: FuzzReport,
  routes: readonly Route[],
  options: FuzzOptions,
  { bodies }: Tally,
): string[] => {
  const problems: string[] = [];
  if (report.admitted < 0.9) {
    problems.push(`only ${Math.round(report.admitted * 100)} % got past token and limiter`);
  }
  if (bodies > 0 && report.validBodies < 0.3) {
    problems.push(`only ${Math.round(report.validBodies * 100)} % of the bodies were valid`);
  }
  for (const { name } of routes) {
    const statuses = [...(report.counts.get(name)?.keys() ?? [])];
    const succeeded = statuses.some((status) => status < 400);
    const hopeless = options.hopeless[name] !== undefined;
    const rare = options.rare[name] !== undefined;
    if (!succeeded && !hopeless && !rare) problems.push(`${name} never succeeded`);
    if (succeeded && hopeless) problems.push(`${name} does succeed; it is not hopeless`);
  }
  return problems;
};

/** Counts per route and status, for people. */
export const fuzzTable = ({ counts }: FuzzReport): string =>
  [...counts]
    .map(([name, statuses]) => {
      const parts = [...statuses].sort(([a], [b]) => a - b).map(([status, n]) => `${status}×${n}`);
      return `${name.padEnd(32)} ${parts.join('  ')}`;
    })
    .join('\n');
