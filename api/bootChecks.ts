import { isPermission } from '../core/permissions.js';
import type { RouteFacts } from './route.js';
import { paramNames } from './routeSchemas.js';

/** Two paths that differ only in the names of their parameters are the same path. */
const withoutNames = (path: string): string => path.replace(/\{[^{}]*\}/g, '{}');

const pathForm = /^(?:\/(?:[A-Za-z0-9._~-]+|\{[A-Za-z][A-Za-z0-9]*\}))+$/;
const nameForm = /^[a-zA-Z][a-zA-Z0-9]*(?:\.[a-zA-Z][a-zA-Z0-9]*)*$/;

const repeated = (values: readonly string[]): string[] => [
  ...new Set(values.filter((value, at) => values.indexOf(value) !== at)),
];

const problemsOf = (route: RouteFacts): string[] => {
  const problems: string[] = [];
  const named = paramNames(route.path);
  const declared = Object.keys(route.params ?? {});
  const { envelope } = route;
  const say = (wrong: boolean, problem: string): void => {
    if (wrong) problems.push(problem);
  };
  say(!pathForm.test(route.path), 'the path is not made of literals and {parameters}');
  say(!nameForm.test(route.name), 'the name is not words joined by dots');
  for (const name of named) say(!declared.includes(name), `{${name}} is not declared in params`);
  for (const name of declared) say(!named.includes(name), `params.${name} is not in the path`);
  for (const name of repeated(named)) say(true, `{${name}} stands twice in the path`);
  if (route.public) say(route.scope !== undefined, 'it is public and has a scope');
  else say(!isPermission(route.scope ?? ''), `the scope "${route.scope ?? ''}" does not exist`);
  say(envelope.kind === 'list' && !route.page, 'it is a list without a page spec');
  say(envelope.kind !== 'list' && route.page !== undefined, 'it has a page spec and is no list');
  say(
    !route.response && envelope.kind !== 'empty' && envelope.kind !== 'raw',
    'it answers something and has no response schema',
  );
  say(
    route.creates === true && (route.method !== 'POST' || route.mode !== 'write'),
    'only a POST in mode write can take an Idempotency-Key',
  );
  say(
    route.creates === true && (route.public === true || envelope.kind === 'raw'),
    'an answer to repeat needs a principal and is JSON',
  );
  say(route.method === 'GET' && route.mode === 'write', 'a GET writes nothing');
  say(route.method === 'GET' && route.body !== undefined, 'a GET has no body');
  say(
    route.page !== undefined && ('limit' in (route.query ?? {}) || 'cursor' in (route.query ?? {})),
    'limit and cursor come with the page spec',
  );
  for (const name of Object.keys(route.headers ?? {})) {
    say(name !== name.toLowerCase(), `the header ${name} is not in lower case`);
  }
  return problems;
};

/** What is wrong with the tables, all of it: a start that fails shows every mistake at once. */
export const findTableProblems = (routes: readonly RouteFacts[]): string[] => [
  ...repeated(routes.map(({ method, path }) => `${method} ${withoutNames(path)}`)).map(
    (place) => `${place} is there twice`,
  ),
  ...repeated(routes.map(({ name }) => name)).map((name) => `the name ${name} is there twice`),
  ...routes.flatMap((route) =>
    problemsOf(route).map((problem) => `${route.method} ${route.path}: ${problem}`),
  ),
];

/** Literals before parameters, segment by segment: the router takes the first that fits. */
export const byPrecedence = (one: RouteFacts, other: RouteFacts): number => {
  const [a, b] = [one.path.split('/'), other.path.split('/')];
  for (let at = 0; at < Math.min(a.length, b.length); at++) {
    const difference = Number(a[at]?.startsWith('{')) - Number(b[at]?.startsWith('{'));
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
};
