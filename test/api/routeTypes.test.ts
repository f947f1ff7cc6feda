import { join } from 'node:path';
import ts from 'typescript';

/**
 * What `route()` refuses to compile. The snippets are checked by the compiler itself, with the
 * project's own options, as files that exist only here.
 */
const root = join(__dirname, '..', '..');
const file = join(root, 'api', 'routes', 'snippet.ts');

const frame = (parts: Readonly<Record<string, string>>): string => {
  const all: Readonly<Record<string, string>> = {
    method: `'GET'`,
    path: `'/api/a/{id}/b/{part}'`,
    scope: `'projects:read'`,
    mode: `'read'`,
    envelope: `{ family: 'A', kind: 'one' }`,
    params: '{ id, part: Type.String() }',
    query: '{ size: Type.Optional(Type.Integer()) }',
    response: 'Type.Object({ id: Type.String(), size: Type.Integer() })',
    handler: '({ params, query }) => ({ id: params.id + params.part, size: query.size ?? 1 })',
    ...parts,
  };
  // Types flow from left to right: what a handler builds on stands before it.
  const { handler, ...before } = all;
  const rows = Object.entries({ ...before, handler }).filter(([, text]) => text !== '');
  return `
import { Type } from '@sinclair/typebox';
import { reply, route } from '../route.js';
import { id } from '../schemas/id.js';
void reply;
export const row = route({ name: 'a', summary: 'a', ${rows.map(([key, text]) => `${key}: ${text}`).join(',\n')} });`;
};

const options = (): ts.CompilerOptions => {
  const path = join(root, 'tsconfig.json');
  const { config } = ts.readConfigFile(path, (name) => ts.sys.readFile(name)) as {
    config: unknown;
  };
  const parsed = ts.parseJsonConfigFileContent(config, ts.sys, root);
  return { ...parsed.options, incremental: false, noEmit: true, skipLibCheck: true };
};

/** All snippets are parts of one program, so that the libraries are read once. */
const compile = (snippets: readonly string[]): string[][] => {
  const files = new Map(
    snippets.map((text, at) => [file.replace('snippet', `snippet${at}`), text]),
  );
  const settings = options();
  const disk = ts.createCompilerHost(settings);
  const host: ts.CompilerHost = {
    ...disk,
    fileExists: (name) => files.has(name) || disk.fileExists(name),
    readFile: (name) => files.get(name) ?? disk.readFile(name),
    getSourceFile: (name, language, ...rest) => {
      const text = files.get(name);
      return text === undefined
        ? disk.getSourceFile(name, language, ...rest)
        : ts.createSourceFile(name, text, language);
    },
  };
  const program = ts.createProgram([...files.keys()], settings, host);
  return [...files.keys()].map((name) =>
    program
      .getSemanticDiagnostics(program.getSourceFile(name))
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')),
  );
};

const list = { envelope: `{ family: 'A', kind: 'list' }`, response: 'Type.Object({ id })' };

const fine: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'as it stands': {},
  'a reply': { handler: `() => reply({ id: 'x', size: 1 }, { status: 202 })` },
  'a list of everything': { ...list, page: `{ kind: 'all' }`, handler: `() => [{ id: 'x' }]` },
  'a page': {
    ...list,
    page: `{ kind: 'keyset' }`,
    handler: `({ page }) => ({ items: [{ id: String(page.limit + (page.after ?? '').length) }], next: null })`,
  },
  'an entity': {
    envelope: `{ family: 'B', kind: 'one', type: 'a' }`,
    handler: `() => ({ id: 'x', attributes: { id: 'x', size: 1 } })`,
  },
  'a prepared write': {
    method: `'POST'`,
    mode: `'write'`,
    body: 'Type.Object({ name: Type.String() })',
    prepare: `async ({ body }, ctx) => { await ctx.live(ctx.scope, 'bindGraph', { nodes: '', edges: '' }, ctx.signal); return body.name.length }`,
    handler: `({ params }, _ctx, size) => ({ id: params.id, size })`,
  },
  'nothing to say': {
    envelope: `{ family: 'C', kind: 'empty' }`,
    response: '',
    handler: 'async () => undefined',
  },
  'raw bytes': {
    method: `'POST'`,
    bodyKind: `'raw'`,
    handler: `({ raw }) => ({ id: raw.toString('hex'), size: raw.length })`,
  },
};

const wrong: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'a parameter that the path lacks': { handler: '({ params }) => ({ id: params.nope, size: 1 })' },
  'a parameter that is not declared': { params: '{ id }' },
  'an answer of another shape': { handler: `() => ({ id: 'x', size: 'big' })` },
  'an answer without a field': { handler: `() => ({ id: 'x' })` },
  'a reply of another shape': { handler: `() => reply({ id: 'x' }, { status: 202 })` },
  'a query of another type': { handler: `({ query }) => ({ id: query.size, size: 1 })` },
  'a body that is not declared': { handler: `({ body }) => ({ id: body.name, size: 1 })` },
  'a page where there is no list': { handler: `({ page }) => ({ id: 'x', size: page.limit })` },
  'an array where a page is due': {
    ...list,
    page: `{ kind: 'keyset' }`,
    handler: `() => [{ id: 'x' }]`,
  },
  'a live call in a read': {
    handler: `async (_input, ctx) => ({ id: String(await ctx.live('x', {}, ctx.signal)), size: 1 })`,
  },
  'a workspace on a public route': {
    scope: '',
    public: 'true',
    handler: `(_input, ctx) => ({ id: ctx.scope.workspaceId, size: 1 })`,
  },
  'a scope that does not exist': { scope: `'toys:read'` },
  'a wildcard scope': { scope: `'*:read'` },
  'family B without a type': { envelope: `{ family: 'B', kind: 'one' }` },
  'an error code that does not exist': { errors: `['nonsense']` },
  'facts of another type': {
    mode: `'write'`,
    prepare: `async () => 'text'`,
    handler: `({ params }, _ctx, facts) => ({ id: params.id, size: facts })`,
  },
};

const diagnostics = new Map<string, string[]>();
beforeAll(() => {
  const all = { ...fine, ...wrong };
  const names = Object.keys(all);
  const found = compile(Object.values(all).map(frame));
  names.forEach((name, at) => diagnostics.set(name, found[at] ?? []));
}, 60_000);

test.each(Object.keys(fine))('compiles: %s', (name) => {
  expect(diagnostics.get(name)).toEqual([]);
});

test.each(Object.keys(wrong))('does not: %s', (name) => {
  expect(diagnostics.get(name)).not.toEqual([]);
});
