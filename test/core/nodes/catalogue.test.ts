import { checkSchema } from '../../../core/schema.js';
import { nodeTypeOf, nodeTypes } from '../../../core/nodes/index.js';
import type { NodeType } from '../../../core/nodes/nodeType.js';

const check = (type: NodeType, value: unknown) => {
  const issues = checkSchema(type.config, value, '');
  return issues.length > 0 ? issues : (type.check?.(value, '') ?? []);
};

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
    expect(type.config.required).not.toHaveLength(0);
  });

  it('names connection keys that its schema knows', () => {
    for (const key of type.connectionKeys) expect(type.config.properties).toHaveProperty(key);
  });
});

it.each(['', 'source.nothing', 'toString', undefined, 7, null])('does not know %j', (type) => {
  expect(nodeTypeOf(type)).toBeUndefined();
});

describe('destination.table', () => {
  const type = nodeTypeOf('destination.table') as NodeType;
  const issues = (extra: object) => check(type, { ...type.example, ...extra });

  it.each([
    { mode: 'replace' },
    { mode: 'upsert' },
    { keys: ['id'] },
    { orderBy: 'at' },
    { maxErrors: 1 },
    { atomic: true },
    { onSchemaChange: 'evolve' },
    { verify: 'content' },
    { connectionId: 'shop' },
    { connectionId: '0197F5F6-0000-7000-8000-000000000000' },
    { table: '' },
    { table: 'ä'.repeat(32) },
    { schema: 'a'.repeat(64) },
    { createTable: 'yes' },
  ])('refuses %j and says where', (extra) => {
    const [key = ''] = Object.keys(extra);
    expect(issues(extra).map(({ pointer }) => pointer)).toEqual([`/${key}`]);
  });

  it.each([
    { maxErrors: 0 },
    { atomic: false },
    { onSchemaChange: 'fail' },
    { verify: 'counts' },
    { createTable: false },
    { schema: 'sales' },
  ])('takes %j, which is what happens anyway', (extra) => {
    expect(issues(extra)).toEqual([]);
  });

  it('says which mode there is', () => {
    expect(issues({ mode: 'replace' })[0]?.message).toMatch(/append only/);
  });
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
