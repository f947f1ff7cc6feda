import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import {
  columnsOf,
  context,
  makeFilesFixture,
  readAll,
  readRange,
  readRelation,
  splitsOf,
} from './filesFixture.js';
import type { FilesFixture } from './filesFixture.js';

let files: FilesFixture;

beforeAll(async () => {
  files = await makeFilesFixture();
});

afterAll(() => files.close());

/** DuckDB is the only one here that writes zstd. */
const packed = async (key: string, text: string): Promise<void> => {
  const directory = await files.scratch('pack');
  const target = `${directory.path}/packed.zst`;
  const lines = text.slice(0, -1).split('\n');
  const rowsSql = lines.map((line) => `('${line}')`).join(', ');
  const raw = "FORMAT csv, HEADER false, QUOTE '', ESCAPE '', DELIMITER '\x01', COMPRESSION zstd";
  const sql = `COPY (VALUES ${rowsSql}) TO '${target}' (${raw})`;
  const program = { directory: directory.path, reads: [], statements: [{ sql }] };
  await files.duckdb.run(program, context().signal);
  await files.put(key, await readFile(target));
  await directory.remove();
};

describe('what is inferred', () => {
  it('is a type only where nothing of a text is lost by it', async () => {
    const header = 'id,zip,price,big,huge,day,moment,zoned,clock,flag,uid,word,mixed,float,none\n';
    const first =
      '1,01234,1.50,9007199254740993,12345678901234567890,2024-02-29,2024-01-01 10:00:00,' +
      '2024-01-01T10:00:00Z,10:00:00,true,0197f5f6-0000-7000-8000-000000000000,NULL,1,1e3,\n';
    const second =
      '-2,99999,20,0,1,2023-01-01,2024-01-01,2024-01-01 10:00:00+01,23:59:59.5,FALSE,' +
      '0197f5f6-0000-7000-8000-000000000001,x,a,2.5,\n';
    await files.put('infer/a.csv', header + first + second);
    expect(await columnsOf(files, { path: 'infer/a.csv' })).toEqual([
      'id bigint',
      'zip text',
      'price numeric',
      'big bigint',
      'huge decimal(38,0)',
      'day date',
      'moment timestamp',
      'zoned timestamptz',
      'clock time',
      'flag boolean',
      'uid uuid',
      'word text',
      'mixed text',
      'float double',
      'none text',
    ]);
  });

  it.each([
    ['an impossible day', '2023-02-30'],
    ['a day the other way round', '01/02/2024'],
    ['a decimal comma', '"1,5"'],
    ['a plus', '+1'],
    ['a blank before', ' 1'],
    ['more digits than any type has', '9'.repeat(60)],
    ['quoted emptiness', '""'],
  ])('is text for %s', async (_, value) => {
    await files.put('infer/b.csv', `v,w\n${value},1\n`);
    expect(await columnsOf(files, { path: 'infer/b.csv' })).toEqual(['v text', 'w bigint']);
  });

  it('is a delimiter, also where some rows are ragged', async () => {
    await files.put('infer/c.csv', 'a;b;c\n1;"x;y";3\n1;2\n4;5,5;6\n');
    expect(await columnsOf(files, { path: 'infer/c.csv' })).toEqual([
      'a bigint',
      'b text',
      'c bigint',
    ]);
  });

  it('is no header where the first row looks like the others', async () => {
    await files.put('infer/d.csv', '1,x\n2,y\n');
    expect(await columnsOf(files, { path: 'infer/d.csv' })).toEqual([
      'column0 bigint',
      'column1 text',
    ]);
    const options = { header: true };
    expect(await columnsOf(files, { path: 'infer/d.csv', options })).toEqual([
      '1 bigint',
      'x text',
    ]);
  });

  it('are names that differ', async () => {
    await files.put('infer/e.csv', 'a,A,,a,a_1\n1,2,3,4,5\n');
    expect(await columnsOf(files, { path: 'infer/e.csv' })).toEqual([
      'a bigint',
      'A_1 bigint',
      'column2 bigint',
      'a_2 bigint',
      'a_1_1 bigint',
    ]);
  });

  it('is what all files can hold', async () => {
    await files.put('many/1.csv', 'id,v,d\n1,2,2024-01-01\n');
    await files.put('many/2.csv', 'ID,extra,v,d\n2,x,2.5,2024-01-01 10:00\n');
    await files.put('many/3.csv', '');
    expect(await columnsOf(files, { path: 'many/*.csv' })).toEqual([
      'id bigint',
      'v numeric',
      'd timestamp',
      'extra text',
    ]);
    const { text } = await readAll(files, { path: 'many/*.csv' });
    expect(text).toBe('1,2,2024-01-01,\n2,2.5,2024-01-01 10:00,x\n');
  });
});

const rows = 'id,name\n1,Ada\n2,"x,""y"""\n3,\n4,""\n';
const bulk = '1,Ada\n2,"x,""y"""\n3,\n4,""\n';

describe('reading', () => {
  it.each([
    ['as it is', rows],
    ['with a byte order mark', `\ufeff${rows}`],
    ['with CRLF', rows.replaceAll('\n', '\r\n')],
    ['without a last line end', rows.slice(0, -1)],
    ['with blank lines', rows.replaceAll('\n', '\n\n')],
  ])('gives the same rows %s', async (_, text) => {
    await files.put('same/a.csv', text);
    expect(await readAll(files, { path: 'same/a.csv' })).toEqual({
      text: bulk,
      rows: 4,
      rejected: [],
    });
  });

  it('gives the same rows compressed', async () => {
    await files.put('same/a.csv.gz', gzipSync(rows));
    await packed('same/a.csv.zst', rows);
    for (const path of ['same/a.csv.gz', 'same/a.csv.zst']) {
      expect(await readAll(files, { path })).toEqual({ text: bulk, rows: 4, rejected: [] });
      const [range] = await splitsOf(files, { path });
      const relation = await readRelation(files, range ?? {});
      expect(relation).toEqual({
        rows: [
          ['1', 'Ada'],
          ['2', 'x,"y"'],
          ['3', null],
          ['4', ''],
        ],
        rejected: [],
      });
    }
  });

  it.each([
    ['utf-16' as const, Buffer.from('\ufeffa,b\n1,Zoë 😀\n', 'utf16le'), '1,Zoë 😀\n'],
    ['latin-1' as const, Buffer.from('a,b\n1,Zoë\n', 'latin1'), '1,Zoë\n'],
  ])('reads %s', async (encoding, bytes, expected) => {
    await files.put('same/other.csv', bytes);
    const options = { encoding, header: true };
    expect((await readAll(files, { path: 'same/other.csv', options })).text).toBe(expected);
  });

  it('converts another dialect by way of DuckDB', async () => {
    await files.put('same/d.csv', "id|name\n1|'a|b'\n2|null\n3|'null'\n4|x,y\n5|'it\\'s'\n");
    const options = { delimiter: '|', quote: "'", escape: '\\', nullString: 'null' };
    expect(await readAll(files, { path: 'same/d.csv', options })).toEqual({
      text: '1,a|b\n2,\n3,null\n4,"x,y"\n5,it\'s\n',
      rows: 5,
      rejected: [],
    });
  });

  it('takes columns by name where they are listed', async () => {
    await files.put('same/l.csv', 'b,a,c\n1,2,3\n');
    const options = {
      columns: [
        { name: 'a', type: 'integer' },
        { name: 'z', type: 'date' },
        { name: 'b', type: 'text' },
      ],
    };
    expect(await columnsOf(files, { path: 'same/l.csv', options })).toEqual([
      'a integer',
      'z date',
      'b text',
    ]);
    expect((await readAll(files, { path: 'same/l.csv', options })).text).toBe('2,,1\n');
  });

  it('has no rows where a file has none', async () => {
    await files.put('none/a.csv', 'a,b\n');
    expect(await columnsOf(files, { path: 'none/a.csv' })).toEqual(['a text', 'b text']);
    expect(await readAll(files, { path: 'none/a.csv' })).toEqual({
      text: '',
      rows: 0,
      rejected: [],
    });
    await files.put('none/b.csv', '');
    await expect(columnsOf(files, { path: 'none/b.csv' })).rejects.toThrow('have no columns');
    await expect(columnsOf(files, { path: 'none/*.tsv' })).rejects.toThrow('No file matches');
  });
});

describe('malformed rows', () => {
  const bad = Buffer.concat([
    Buffer.from('id;name\n1;a\n2\n3;b;c\n4;d"e"\n5;"f"g\n'),
    Buffer.from([0x36, 0x3b, 0xff, 0x0a]),
    Buffer.from('7;h\n8;"open\n9;'),
  ]);
  const expected = [
    [1, 'The row has fewer fields than there are columns.'],
    [2, 'The row has more fields than there are columns.'],
    [3, 'A quote stands in a field that does not begin with one.'],
    [4, 'Something stands between a closing quote and the end of its field.'],
    [5, 'The row is not text in UTF-8.'],
    [7, 'A quote is opened and never closed.'],
  ];

  it.each([',', ';'])('are told apart, and the rest goes on (%s)', async (delimiter) => {
    const text = Buffer.from(bad.toString('latin1').replaceAll(';', delimiter), 'latin1');
    await files.put('bad/a.csv', text);
    const options = { delimiter };
    const read = await readAll(files, { path: 'bad/a.csv', options });
    expect(read.text).toBe('1,a\n7,h\n');
    expect(read.rejected.map(({ row, message }) => [row, message])).toEqual(expected);
    const [range] = await splitsOf(files, { path: 'bad/a.csv', options });
    const relation = await readRelation(files, range ?? {});
    expect(relation.rows).toEqual([
      ['1', 'a'],
      ['7', 'h'],
    ]);
    expect(relation.rejected.map(({ row, message }) => [row, message])).toEqual(expected);
  });

  it('fail a file that is not what its name says', async () => {
    await files.put('bad/b.csv.gz', gzipSync(rows).subarray(0, -12));
    await expect(readAll(files, { path: 'bad/b.csv.gz' })).rejects.toMatchObject({
      failure: { code: 'config_invalid' },
    });
  });
});

it('refuses a file that has changed since it was planned', async () => {
  await files.put('drift/a.csv', 'a,b\n1,2\n');
  const [range] = await splitsOf(files, { path: 'drift/a.csv' });
  await files.put('drift/a.csv', 'a,b\n1,2\n3,4\n');
  await expect(readRange(files, range ?? {})).rejects.toMatchObject({
    failure: { code: 'schema_drift', class: 'schema' },
  });
});
