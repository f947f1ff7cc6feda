import { check, faults, typed } from './check.js';

const longName = 'ä'.repeat(32);

describe('source.table', () => {
  it.each([
    [{ connectionId: 'shop' }, '/connectionId schema'],
    [{ connectionId: '0197F5F6-0000-7000-8000-000000000000' }, '/connectionId schema'],
    [{ table: '' }, '/table schema'],
    [{ table: longName }, '/table name'],
    [{ schema: longName }, '/schema name'],
    [{ columns: [] }, '/columns schema'],
    [{ columns: ['id', 'id'] }, '/columns/1 duplicate'],
    [{ columns: ['id', longName] }, '/columns/1 name'],
    [{ where: ' \n' }, '/where schema'],
    [{ where: 'a = \u0000' }, '/where schema'],
    [{ incremental: {} }, '/incremental/cursorColumn schema'],
    [{ incremental: { cursorColumn: longName } }, '/incremental/cursorColumn name'],
    [{ incremental: { cursorColumn: 'id', lookback: -1 } }, '/incremental/lookback schema'],
    [{ incremental: { cursorColumn: 'id', lookback: '5 min' } }, '/incremental/lookback duration'],
    [{ incremental: { cursorColumn: 'id', lookback: '-PT5M' } }, '/incremental/lookback duration'],
    [{ incremental: { cursorColumn: 'id', lookback: 'PT-5M' } }, '/incremental/lookback duration'],
    [{ consistency: 'eventual' }, '/consistency schema'],
    [{ window: { column: 'at', from: '2026-01-01' } }, '/window/to schema'],
    [{ window: { column: 'at', from: 1, to: '2' } }, '/window/from schema'],
    [{ window: { column: longName, from: '1', to: '2' } }, '/window/column name'],
  ])('refuses %j: %s', (change, fault) => {
    expect(faults('source.table', change)).toEqual([fault]);
  });

  it.each([
    { columns: ['id', 'ID'] },
    { incremental: { cursorColumn: 'id' } },
    { incremental: { cursorColumn: 'id', lookback: 100 } },
    { consistency: 'per_row' },
    { window: { column: 'at', from: '2026-01-01', to: '2026-02-01' } },
  ])('takes %j', (change) => {
    expect(faults('source.table', change)).toEqual([]);
  });
});

describe('source.query', () => {
  it.each([
    [{ sql: '' }, '/sql schema'],
    [{ sql: 'x'.repeat(200_001) }, '/sql schema'],
    [{ incremental: { cursorColumn: 'at', lookback: 'soon' } }, '/incremental/lookback duration'],
  ])('refuses %j: %s', (change, fault) => {
    expect(faults('source.query', change)).toEqual([fault]);
  });
});

describe('source.files', () => {
  it.each([
    [{ path: '' }, '/path schema'],
    [{ path: '/etc/passwd.csv' }, '/path path'],
    [{ path: 'C:/data.csv' }, '/path path'],
    [{ path: 's3://bucket/a.csv' }, '/path path'],
    [{ path: '../a.csv' }, '/path path'],
    [{ path: 'a/../b.csv' }, '/path path'],
    [{ path: 'a/{b,..}/c.csv' }, '/path path'],
    [{ path: './a.csv' }, '/path path'],
    [{ path: 'a//b.csv' }, '/path path'],
    [{ path: 'a\\b.csv' }, '/path path'],
    [{ path: 'a\u0000.csv' }, '/path path'],
    [{ format: 'xml' }, '/format schema'],
    [{ options: { delimiter: ';;' } }, '/options/delimiter schema'],
    [{ options: { delimiter: '\n' } }, '/options/delimiter schema'],
    [{ options: { delimiter: '§' } }, '/options/delimiter schema'],
    [{ options: { delimiter: '' } }, '/options/delimiter schema'],
    [{ options: { delimiter: '"' } }, '/options/quote value'],
    [{ options: { encoding: 'ebcdic' } }, '/options/encoding schema'],
    [{ options: { compression: 'zip' } }, '/options/compression schema'],
    [{ options: { sampleRows: 0 } }, '/options/sampleRows schema'],
    [
      { options: { columns: [{ name: 'id', type: 'int' }] } },
      '/options/columns/0/type unknown_type',
    ],
    [
      {
        options: {
          columns: [
            { name: 'id', type: 'text' },
            { name: 'ID', type: 'text' },
          ],
        },
      },
      '/options/columns/1/name duplicate',
    ],
    [{ format: 'json', options: { header: true } }, '/options/header not_applicable'],
    [{ format: 'parquet', options: { sampleRows: 1 } }, '/options/sampleRows not_applicable'],
  ])('refuses %j: %s', (change, fault) => {
    expect(faults('source.files', change)).toEqual([fault]);
  });

  it.each([
    { path: 'a.parquet', options: {} },
    { path: 'orders/*', options: {} },
    { path: 'a..b/c...csv' },
    { path: '**/[a-c]?/{x,y}.jsonl', options: { compression: 'zstd' } },
    { path: 'all', format: 'csv', options: { quote: '', delimiter: '\t' } },
    { options: { columns: [{ name: 'id', type: 'decimal(10, 2)' }], encoding: 'latin-1' } },
  ])('takes %j', (change) => {
    expect(faults('source.files', change)).toEqual([]);
  });
});

describe('destination.table', () => {
  const append = { mode: 'append', keys: undefined, orderBy: undefined };

  it.each([
    [{ mode: 'merge' }, '/mode schema'],
    [{ keys: undefined }, '/keys required'],
    [{ keys: [] }, '/keys schema'],
    [{ keys: ['id', 'id'] }, '/keys/1 duplicate'],
    [{ mode: 'delete', keys: undefined, orderBy: undefined }, '/keys required'],
    [{ mode: 'delete' }, '/orderBy not_applicable'],
    [{ mode: 'append' }, '/orderBy not_applicable'],
    [{ orderBy: 'at' }, '/orderBy schema'],
    [{ orderBy: [] }, '/orderBy schema'],
    [{ orderBy: [{ column: 'at', direction: 'down' }] }, '/orderBy/0/direction schema'],
    [
      {
        orderBy: [
          { column: 'at', direction: 'asc' },
          { column: 'at', direction: 'desc' },
        ],
      },
      '/orderBy/1/column duplicate',
    ],
    [{ atomic: true }, '/atomic not_applicable'],
    [{ ...append, mode: 'replace', atomic: true }, '/atomic not_applicable'],
    [{ maxErrors: -1 }, '/maxErrors schema'],
    [{ maxErrors: 0.5 }, '/maxErrors schema'],
    [{ onSchemaChange: 'guess' }, '/onSchemaChange schema'],
    [{ verify: 'nothing' }, '/verify schema'],
    [{ table: longName }, '/table name'],
    [{ schema: 'a'.repeat(64) }, '/schema schema'],
    [{ createTable: 'yes' }, '/createTable schema'],
  ])('refuses %j: %s', (change, fault) => {
    // What is undefined here is not in the JSON that arrives.
    const sent = JSON.parse(
      JSON.stringify({ ...typed('destination.table').example, ...change }),
    ) as object;
    const found = check(typed('destination.table'), sent);
    expect(found.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual([fault]);
  });

  it.each([
    { ...append, atomic: true },
    { ...append, mode: 'replace', verify: 'content' },
    { mode: 'delete', orderBy: undefined },
    { onSchemaChange: 'evolve', maxErrors: 10 },
    { onSchemaChange: 'ignore', createTable: false, schema: 'sales', atomic: false },
  ])('takes %j', (change) => {
    const sent = JSON.parse(
      JSON.stringify({ ...typed('destination.table').example, ...change }),
    ) as object;
    expect(check(typed('destination.table'), sent)).toEqual([]);
  });

  it('names the modes there are', () => {
    const [issue] = check(typed('destination.table'), {
      ...typed('destination.table').example,
      mode: 'merge',
    });
    expect(issue?.message).toBe('Expected one of append, replace, upsert, delete.');
  });
});

describe('destination.files', () => {
  it.each([
    [{ path: '/exports' }, '/path path'],
    [{ path: '..' }, '/path path'],
    [{ path: 'exports/*' }, '/path path'],
    [{ format: 'avro' }, '/format schema'],
    [{ partitionBy: ['a', 'a'] }, '/partitionBy/1 duplicate'],
    [{ format: 'csv', compression: 'snappy' }, '/compression not_applicable'],
    [{ compression: 'lz4' }, '/compression schema'],
  ])('refuses %j: %s', (change, fault) => {
    expect(faults('destination.files', change)).toEqual([fault]);
  });

  it.each([
    { path: 'exports/' },
    { partitionBy: [] },
    { compression: 'snappy' },
    { format: 'jsonl', compression: 'gzip' },
  ])('takes %j', (change) => {
    expect(faults('destination.files', change)).toEqual([]);
  });
});
