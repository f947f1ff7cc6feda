import { faults, typed } from './check.js';

const blank = ' ';

describe.each<[type: string, refused: [object, string[]][], taken: object[]]>([
  [
    'transform.filter',
    [
      [{ where: blank }, ['/where schema']],
      [{ where: 'x'.repeat(20_001) }, ['/where schema']],
    ],
    [{ where: 'true' }],
  ],
  [
    'transform.select',
    [
      [{ columns: [] }, ['/columns schema']],
      [{ columns: [{ name: 'a' }, { name: 'A', from: 'b' }] }, ['/columns/1/name duplicate']],
      [{ columns: [{ name: 'a', cast: 'varchar' }] }, ['/columns/0/cast unknown_type']],
      [{ columns: [{ name: 'a', from: 'ä'.repeat(32) }] }, ['/columns/0/from name']],
    ],
    [{ columns: [{ name: 'a' }, { name: 'b', from: 'a', cast: 'bigint' }] }],
  ],
  [
    'transform.derive',
    [
      [{ columns: [{ name: 'a' }] }, ['/columns/0/expression schema']],
      [
        {
          columns: [
            { name: 'a', expression: '1' },
            { name: 'a', expression: '2' },
          ],
        },
        ['/columns/1/name duplicate'],
      ],
    ],
    [],
  ],
  [
    'transform.join',
    [
      [{ condition: 'l.a = r.b' }, ['/on exactly_one']],
      [{ kind: 'cross' }, ['/kind schema']],
      [{ on: [] }, ['/on schema']],
      [{ on: [{ left: 'a' }] }, ['/on/0/right schema']],
      [{ on: [{ left: 'ä'.repeat(32), right: 'a' }] }, ['/on/0/left name']],
    ],
    [{ kind: 'semi' }, { kind: 'anti' }, { kind: 'full' }],
  ],
  [
    'transform.aggregate',
    [
      [{ groupBy: [], aggregates: [] }, ['/aggregates required']],
      [{ groupBy: ['a', 'A'] }, ['/groupBy/1 duplicate']],
      [
        { groupBy: ['a'], aggregates: [{ name: 'a', expression: 'count(*)' }] },
        ['/aggregates/0/name duplicate'],
      ],
      [{ aggregates: [{ name: 'n', expression: blank }] }, ['/aggregates/0/expression schema']],
    ],
    [{ groupBy: [] }, { aggregates: [] }],
  ],
  ['transform.union', [[{ all: 'yes' }, ['/all schema']]], [{ all: false }, { byName: false }]],
  [
    'transform.dedupe',
    [
      [{ keys: [] }, ['/keys schema']],
      [{ keys: ['a', 'a'] }, ['/keys/1 duplicate']],
      [{ keep: 'any' }, ['/keep schema']],
      [
        { orderBy: [{ column: 'a', direction: 'asc', nulls: 'middle' }] },
        ['/orderBy/0/nulls schema'],
      ],
    ],
    [{ keep: 'first' }],
  ],
  [
    'transform.sort',
    [
      [{ orderBy: [] }, ['/orderBy schema']],
      [{ orderBy: [{ column: 'a' }] }, ['/orderBy/0/direction schema']],
      [{ limit: 0 }, ['/limit schema']],
    ],
    [{ limit: 1 }],
  ],
  [
    'transform.pivot',
    [
      [{ values: [] }, ['/values schema']],
      [{ values: [null] }, ['/values/0 schema']],
      [{ values: ['a', 'A'] }, ['/values/1 duplicate']],
      [{ values: [1, '1'] }, ['/values/1 duplicate']],
      [{ values: [''] }, ['/values/0 schema']],
      [{ values: ['ä'.repeat(32)] }, ['/values/0 name']],
      [{ values: ['customer_id'] }, ['/values/0 duplicate']],
      [{ groupBy: ['quarter'] }, ['/groupBy/0 duplicate']],
      [
        { using: [{ expression: 'sum(a)' }, { name: 'n', expression: 'count(*)' }] },
        ['/using/0/name required'],
      ],
    ],
    [
      { values: [2025, 2026, true] },
      { groupBy: [] },
      {
        using: [
          { name: 'a', expression: 'sum(a)' },
          { name: 'n', expression: 'count(*)' },
        ],
      },
    ],
  ],
  [
    'transform.unpivot',
    [
      [{ columns: ['a', 'a'] }, ['/columns/1 duplicate']],
      [{ nameColumn: 'amount' }, ['/valueColumn duplicate']],
    ],
    [{ includeNulls: true }],
  ],
  [
    'transform.sql',
    [
      [{ sql: blank }, ['/sql schema']],
      [{ connectionId: 'shop' }, ['/connectionId schema']],
    ],
    [{ connectionId: '0197f5f6-0000-7000-8000-000000000000' }],
  ],
  [
    'transform.validate',
    [
      [{ rules: [] }, ['/rules schema']],
      [{ onFailure: 'ignore' }, ['/onFailure schema']],
      [{ rules: [{ id: 'a', expression: 'b', severity: 'fatal' }] }, ['/rules/0/severity schema']],
      [{ rules: [{ id: '\u0000', expression: 'b' }] }, ['/rules/0/id id']],
      [
        {
          rules: [
            { id: 'a', expression: 'b' },
            { id: 'a', expression: 'c' },
          ],
        },
        ['/rules/1/id duplicate'],
      ],
    ],
    [{ onFailure: 'fail' }, { onFailure: 'warn' }],
  ],
])('%s', (type, refused, taken) => {
  it.each(refused)('refuses %j: %j', (change, expected) => {
    expect(faults(type, change)).toEqual(expected);
  });

  it.each([{}, ...taken])('takes %j', (change) => {
    expect(faults(type, change)).toEqual([]);
  });
});

it('takes a condition in the place of key pairs, and wants one of the two', () => {
  const join = typed('transform.join');
  expect(join.check?.({ kind: 'inner', condition: 'l.a < r.b' }, '')).toEqual([]);
  expect(join.check?.({ kind: 'inner' }, '')).toMatchObject([{ code: 'exactly_one' }]);
});

it('says where SQL is, of what kind, and whose', () => {
  const all = (name: string, config: object) =>
    (typed(name).sqlIn?.(config) ?? []).map(
      ({ pointer, kind, dialect }) => `${pointer} ${kind} ${dialect}`,
    );
  expect(all('source.table', { where: 'a' })).toEqual(['/where expression connection']);
  expect(all('source.table', {})).toEqual([]);
  expect(all('source.query', { sql: 'a' })).toEqual(['/sql query connection']);
  expect(all('transform.sql', { sql: 'a' })).toEqual(['/sql query engine']);
  expect(all('transform.sql', { sql: 'a', connectionId: 'b' })).toEqual(['/sql query connection']);
  expect(all('transform.join', { on: [] })).toEqual([]);
  expect(all('transform.join', { condition: 'a' })).toEqual(['/condition expression engine']);
  expect(all('transform.pivot', { using: [{ expression: 'a' }] })).toEqual([
    '/using/0/expression expression engine',
  ]);
});
