import { dataTypeWords, parseDataType } from '../../../core/dataTypes.js';
import { columnTypeOf } from '../../../connectors/postgres/nativeTypes.js';
import { nativeType } from '../../../connectors/postgres/types.js';
import { context, startSourceDatabase } from './sourceTesting.js';
import type { SourceDatabase } from './sourceTesting.js';

let database: SourceDatabase;
beforeAll(async () => {
  database = await startSourceDatabase();
  await database.admin.query(`
    create extension citext;
    create type mood as enum ('sad');
    create type pair as (a integer, b text);
    create domain price as numeric(8,3);
    create domain deep as price;
    create domain feeling as mood;
    create type span as range (subtype = price);`);
});
afterAll(() => database.drop());

const portable = (type: string) => ({ system: 'postgres', type, portable: true });
const local = (type: string) => ({ system: 'postgres', type, portable: false });

test.each<[string, string, object | undefined]>([
  ['boolean', 'boolean', portable('boolean')],
  ['smallint', 'smallint', portable('smallint')],
  ['bigserial', 'bigint', portable('bigint')],
  ['oid', 'bigint', portable('oid')],
  ['real', 'real', portable('real')],
  ['float', 'double', portable('double precision')],
  ['numeric', 'numeric', portable('numeric')],
  ['numeric(10,2)', 'decimal(10,2)', portable('numeric(10,2)')],
  ['numeric(5)', 'decimal(5,0)', portable('numeric(5,0)')],
  ['numeric(3,-2)', 'numeric', portable('numeric(3,-2)')],
  ['numeric(2,5)', 'numeric', portable('numeric(2,5)')],
  ['deep', 'decimal(8,3)', portable('numeric(8,3)')],
  ['varchar(20)', 'text', portable('character varying(20)')],
  ['char(3)', 'text', portable('character(3)')],
  ['bpchar', 'text', portable('bpchar')],
  ['"char"', 'text', portable('"char"')],
  ['name', 'text', portable('name')],
  ['citext', 'text', undefined],
  ['bytea', 'bytes', portable('bytea')],
  ['uuid', 'uuid', portable('uuid')],
  ['timestamp(3)', 'timestamp', portable('timestamp(3) without time zone')],
  ['timestamptz', 'timestamptz', portable('timestamp with time zone')],
  ['time', 'time', portable('time without time zone')],
  ['timetz', 'text', portable('time with time zone')],
  ['interval day to second(3)', 'interval', portable('interval day to second(3)')],
  ['json', 'json', portable('json')],
  ['jsonb', 'json', portable('jsonb')],
  ['xml', 'text', portable('xml')],
  ['bit(3)', 'text', portable('bit(3)')],
  ['inet', 'text', portable('inet')],
  ['tsvector', 'text', portable('tsvector')],
  ['money', 'text', local('money')],
  ['integer[][]', 'text', portable('integer[]')],
  ['numeric(5,2)[]', 'text', portable('numeric(5,2)[]')],
  ['tstzrange', 'text', portable('tstzrange')],
  ['int4multirange', 'text', portable('int4multirange')],
  ['aclitem', 'text', local('aclitem')],
  ['mood', 'text', undefined],
  ['feeling', 'text', undefined],
  ['mood[]', 'text', undefined],
  ['price[]', 'text', undefined],
  ['pair', 'text', undefined],
  ['span', 'text', undefined],
  ['regclass', 'text', undefined],
  ['regtype[]', 'text', undefined],
])('%s is %s', async (declared, word, native) => {
  await database.admin.query(`drop table if exists t; create table t (v ${declared})`);
  const { columns } = await database.source.facts({ config: { table: 't' } }, context());
  const nullable = declared !== 'bigserial';
  expect(columns).toEqual([
    { name: 'v', type: parseDataType(word), nullable, ...(native ? { native } : {}) },
  ]);
  // What is said of the type holds: another table can be made of it.
  const again = columns[0]?.native?.type ?? 'text';
  await database.admin.query(`drop table if exists u; create table u (v ${again})`);
});

test('every word of ours is a type of the server, which is described by the same word', async () => {
  for (const word of dataTypeWords.map((one) => one.replace('(p,s)', '(38,9)'))) {
    const type = parseDataType(word);
    if (!type) throw new Error(`${word} is no type`);
    await database.admin.query(`drop table if exists t; create table t (v ${nativeType(type)})`);
    const { columns } = await database.source.facts({ config: { table: 't' } }, context());
    expect(columns).toMatchObject([{ type, native: { portable: true } }]);
  }
});

test('rows of anonymous columns and unknown literals are text', async () => {
  const sql = `select row(1, 'a') as r, 'x' as u, null as n`;
  const { columns } = await database.source.facts({ config: { sql } }, context());
  expect(columns.map(({ type }) => type.kind)).toEqual(['text', 'text', 'text']);
  expect(columns[0]?.native).toBeUndefined();
});

test('a type without a binary form is not portable', () => {
  const row = { oid: 25, modifier: -1, name: 'text', kind: 'b', category: 'S', element: 0 };
  expect(columnTypeOf({ ...row, binary: false }).native?.portable).toBe(false);
  expect(columnTypeOf({ ...row, binary: true }).native?.portable).toBe(true);
});
