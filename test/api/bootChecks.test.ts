import { byPrecedence, findTableProblems } from '../../api/bootChecks.js';
import type { RouteFacts } from '../../api/route.js';
import { id } from '../../api/schemas/id.js';
import { thingTables } from './support/things.js';
import { startFramework } from './support/server.js';

const sound: RouteFacts = {
  method: 'GET',
  path: '/api/toys/{id}',
  name: 'toys.get',
  summary: 'A toy',
  scope: 'projects:read',
  mode: 'read',
  envelope: { family: 'A', kind: 'one' },
  params: { id },
  response: id,
};

const problems = (...routes: Partial<RouteFacts>[]): string =>
  findTableProblems(routes.map((route) => ({ ...sound, ...route }))).join('\n');

test('sound tables have none', () => {
  expect(problems({})).toBe('');
  expect(findTableProblems(thingTables.flatMap((table) => table.routes))).toEqual([]);
});

test.each<[string, Partial<RouteFacts>, RegExp]>([
  ['an undeclared parameter', { params: {} }, /\{id\} is not declared/],
  ['one that is not there', { params: { id, other: id } }, /params\.other is not in the path/],
  ['one twice', { path: '/api/{id}/x/{id}' }, /stands twice/],
  ['a path with a colon', { path: '/api/toys/:id', params: {} }, /not made of literals/],
  ['a slash at the end', { path: '/api/toys/', params: {} }, /not made of literals/],
  ['a name that is none', { name: 'get toy' }, /name is not words/],
  ['no scope', { scope: undefined as never }, /scope "" does not exist/],
  ['a scope that does not exist', { scope: 'toys:read' as never }, /scope "toys:read"/],
  ['a wildcard', { scope: '*:read' as never }, /scope "\*:read"/],
  ['both public and scoped', { public: true }, /public and has a scope/],
  ['a list without pages', { envelope: { family: 'A', kind: 'list' } }, /list without a page spec/],
  ['pages without a list', { page: { kind: 'all' } }, /page spec and is no list/],
  ['no response schema', { response: undefined as never }, /no response schema/],
  ['a key on a PUT', { method: 'PUT', mode: 'write', creates: true }, /only a POST/],
  ['a key on a read', { method: 'POST', creates: true }, /only a POST/],
  ['a GET that writes', { mode: 'write' }, /GET writes nothing/],
  ['a GET with a body', { body: id }, /GET has no body/],
  [
    'its own limit',
    { envelope: { family: 'A', kind: 'list' }, page: { kind: 'all' }, query: { limit: id } },
    /come with the page spec/,
  ],
  ['a header with capitals', { headers: { 'If-Match': id } }, /not in lower case/],
])('%s', (_name, change, message) => {
  expect(problems(change)).toMatch(message);
});

test('two routes at one place, or of one name', () => {
  expect(
    problems({}, { path: '/api/toys/{toyId}', params: { toyId: id }, name: 'toys.other' }),
  ).toBe('GET /api/toys/{} is there twice');
  expect(problems({}, { path: '/api/dolls/{id}' })).toBe('the name toys.get is there twice');
});

test('the server does not start with wrong tables, and says everything that is wrong', async () => {
  const route = { ...thingTables[0]?.routes[0], params: {}, scope: 'x' } as never;
  await expect(startFramework({ tables: [{ tag: 'x', routes: [route] }] })).rejects.toThrow(
    /not declared[\s\S]*does not exist/,
  );
  await expect(startFramework({ tables: [], basePrefix: 'v1' })).rejects.toThrow('before /api');
});

test('literals come before parameters, however the table is ordered', () => {
  const paths = ['/a/{x}/c', '/a/{x}', '/a/b', '/a/{x}/{y}', '/a/b/{y}', '/a', '/a/{x}/b'];
  const order = (some: readonly string[]): string[] =>
    some
      .map((path) => ({ ...sound, path }))
      .sort(byPrecedence)
      .map(({ path }) => path);
  for (let turn = 0; turn < paths.length; turn++) {
    const sorted = order([...paths.slice(turn), ...paths.slice(0, turn)]);
    const before = (one: string, other: string) => sorted.indexOf(one) < sorted.indexOf(other);
    expect(before('/a/b', '/a/{x}')).toBe(true);
    expect(before('/a/b/{y}', '/a/{x}/{y}')).toBe(true);
    expect(before('/a/b/{y}', '/a/{x}/c')).toBe(true);
    expect(before('/a/{x}/c', '/a/{x}/{y}')).toBe(true);
    expect(before('/a/{x}/b', '/a/{x}/{y}')).toBe(true);
  }
});
