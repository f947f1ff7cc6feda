import { nodeTypeOf, nodeTypes } from '../../../core/nodes/index.js';
import type { NodeType } from '../../../core/nodes/nodeType.js';
import { check } from './check.js';

describe.each(nodeTypes.map((type) => [type.type, type] as const))('%s', (name, type) => {
  it('is found by its name, which begins with its role', () => {
    expect(nodeTypeOf(name)).toBe(type);
    expect(name.startsWith(`${type.role}.`)).toBe(true);
  });

  it('has ports that fit its role', () => {
    expect(type.inputs.length > 0).toBe(type.role !== 'source');
    expect(type.outputs.length > 0).toBe(type.role !== 'destination');
  });

  it('has an example that is valid, also with keys it does not know', () => {
    expect(check(type, type.example)).toEqual([]);
    expect(check(type, { ...type.example, note: { of: 'the user' } })).toEqual([]);
  });

  it('misses every required key by name', () => {
    for (const key of type.config.required ?? []) {
      const rest = Object.fromEntries(Object.entries(type.example).filter(([one]) => one !== key));
      expect(check(type, rest).map(({ pointer }) => pointer)).toContain(`/${key}`);
    }
  });

  it('wants something of a config, unless it has a default for everything', () => {
    expect(check(type, {}).length > 0).toBe(name !== 'transform.union');
    expect(check(type, []).length > 0).toBe(true);
  });

  it('finds the SQL of its example where it says it is', () => {
    for (const { pointer, sql } of type.sqlIn?.(type.example) ?? []) {
      const keys = pointer.split('/').slice(1);
      const found = keys.reduce<unknown>(
        (value, key) => (value as Record<string, unknown>)[key],
        type.example,
      );
      expect(found).toBe(sql);
    }
  });

  it('says something of itself that tells it apart', () => {
    expect(type.description).toMatch(/^[A-Z].{20,}\.$/s);
    const same = nodeTypes.filter(({ role, title }) => role === type.role && title === type.title);
    expect(same).toEqual([type]);
  });

  it('names connection keys that its schema knows', () => {
    for (const key of type.connectionKeys) expect(type.config.properties).toHaveProperty(key);
  });
});

it.each(['', 'source.nothing', 'toString', undefined, 7, null])('does not know %j', (type) => {
  expect(nodeTypeOf(type)).toBeUndefined();
});

describe('source.inline', () => {
  const type = nodeTypeOf('source.inline') as NodeType;
  const columns = [
    { name: 'id', type: 'integer' },
    { name: 'name', type: 'text' },
  ];

  it('names row and column of a bad cell', () => {
    expect(
      check(type, {
        columns,
        rows: [
          [1, 'Ada'],
          [2, 7],
        ],
      }),
    ).toEqual([
      { pointer: '/rows/1/1', code: 'value', message: 'Row 2, column name: not a text.' },
    ]);
  });

  it('wants as many values as columns', () => {
    const issues = check(type, { columns, rows: [[1], [1, 'a', 2], []] });
    expect(issues.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual([
      '/rows/0 row_length',
      '/rows/1 row_length',
      '/rows/2 row_length',
    ]);
  });

  it('knows its types, and each column once', () => {
    const odd = [...columns, { name: 'id', type: 'varchar' }];
    const pointers = check(type, { columns: odd, rows: [] }).map(({ pointer }) => pointer);
    expect(pointers).toEqual(['/columns/2/name', '/columns/2/type']);
  });

  it('stops after twenty bad cells', () => {
    const rows = Array.from({ length: 100 }, () => ['x', 7]);
    expect(check(type, { columns, rows })).toHaveLength(20);
  });
});
