import { faults } from './check.js';

describe('source.http', () => {
  it.each([
    [{ path: 'http://elsewhere.test/' }, '/path path'],
    [{ path: '//elsewhere.test' }, '/path path'],
    [{ path: '/a/../../b' }, '/path path'],
    [{ path: '/a/%2E%2e/b' }, '/path path'],
    [{ path: '/a b' }, '/path path'],
    [{ path: '/a#b' }, '/path path'],
    [{ path: '/a\\b' }, '/path path'],
    [{ query: { a: {} } }, '/query/a schema'],
    [{ pagination: { type: 'pages' } }, '/pagination/type schema'],
    [{ pagination: { type: 'offset' } }, '/pagination/pageSize schema'],
    [{ pagination: { type: 'page', pageSize: 0 } }, '/pagination/pageSize schema'],
    [{ pagination: { type: 'link', maxPages: 0 } }, '/pagination/maxPages schema'],
    [{ pagination: { type: 'cursor' } }, '/pagination cursor'],
    [
      { pagination: { type: 'cursor', cursorPath: 'a', lastRecordPath: 'b' } },
      '/pagination cursor',
    ],
    [{ columns: [] }, '/columns schema'],
    [{ columns: [{ name: 'a', type: 'number' }] }, '/columns/0/type unknown_type'],
    [
      {
        columns: [
          { name: 'a', type: 'text' },
          { name: 'A', type: 'text' },
        ],
      },
      '/columns/1/name duplicate',
    ],
  ])('refuses %j: %s', (change, fault) => {
    expect(faults('source.http', change)).toEqual([fault]);
  });

  it.each([
    { path: '' },
    { path: 'orders?state=open&at=2026-01-01T00:00:00Z' },
    { path: '/a/..b/.c/%2e%2ed' },
    { query: { a: 'x', b: 1, c: true } },
    { pagination: { type: 'offset', pageSize: 100, totalPath: '/meta/total' } },
    { pagination: { type: 'cursor', lastRecordPath: 'id' } },
    { columns: [{ name: 'a', type: 'decimal(38,18)' }] },
  ])('takes %j', (change) => {
    expect(faults('source.http', change)).toEqual([]);
  });
});

describe('destination.http', () => {
  it.each([
    [{ path: '../x' }, '/path path'],
    [{ method: 'GET' }, '/method schema'],
    [{ batchSize: 0 }, '/batchSize schema'],
    [{ maxErrors: -1 }, '/maxErrors schema'],
    [{ body: {} }, '/body template'],
    [{ body: ['{{records}}', '{{records}}'] }, '/body template'],
    [{ body: ['{{records}}', { a: '{{record}}' }] }, '/body template'],
    [{ body: { '{{records}}': '{{records}}' } }, '/body template'],
    [{ body: 'all {{records}}' }, '/body template'],
    [{ body: '{{record}}', batchSize: 2 }, '/body template'],
  ])('refuses %j: %s', (change, fault) => {
    expect(faults('destination.http', change)).toEqual([fault]);
  });

  it.each([
    { body: '{{records}}' },
    { body: { a: [{ b: '{{records}}' }, null, 1, 'x {{records}}'] } },
    { body: { row: '{{record}}' }, batchSize: 1 },
    { method: 'PATCH', maxErrors: 7 },
  ])('takes %j', (change) => {
    expect(faults('destination.http', change)).toEqual([]);
  });
});

describe('source.topic', () => {
  it.each([
    [{ topic: '' }, '/topic schema'],
    [{ topic: '..' }, '/topic schema'],
    [{ topic: 'a/b' }, '/topic schema'],
    [{ topic: 'a'.repeat(250) }, '/topic schema'],
    [{ from: -1 }, '/from schema'],
    [{ from: 'yesterday' }, '/from bound'],
    [{ from: '2026-02-30T00:00:00Z' }, '/from bound'],
    [{ to: '2026-11-21T24:30:00Z' }, '/to bound'],
    [{ to: '2026-11-21T03:00:00' }, '/to bound'],
    [{ format: 'avro' }, '/format schema'],
    [{ columns: [{ name: 'a', type: 'x' }] }, '/columns/0/type unknown_type'],
  ])('refuses %j: %s', (change, fault) => {
    expect(faults('source.topic', change)).toEqual([fault]);
  });

  it.each([
    { topic: 'a.b_c-D9' },
    { from: 0, to: 12 },
    { from: '2026-11-21T03:00:00.123Z', to: '2026-11-21 05:00+02:00' },
    { format: 'json' },
  ])('takes %j', (change) => {
    expect(faults('source.topic', change)).toEqual([]);
  });
});

describe('destination.topic', () => {
  it.each([
    [{ topic: '.' }, '/topic schema'],
    [{ key: '' }, '/key schema'],
    [{ key: 'ä'.repeat(32) }, '/key name'],
    [{ maxErrors: 0.5 }, '/maxErrors schema'],
  ])('refuses %j: %s', (change, fault) => {
    expect(faults('destination.topic', change)).toEqual([fault]);
  });

  it('needs no key', () => {
    expect(faults('destination.topic', { key: undefined })).toEqual([]);
  });
});
