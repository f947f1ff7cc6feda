import { copyFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { previewFiles, surveyBeginning } from '../../../engine/files/preview.js';
import { context, makeFilesFixture } from './filesFixture.js';
import type { FilesFixture } from './filesFixture.js';

let files: FilesFixture;
beforeAll(async () => {
  files = await makeFilesFixture();
});
afterAll(() => files.close());

const deps = () => ({ ...files, maxRowBytes: 1024 * 1024 });

const look = (path: string, rows = 10) => previewFiles(deps(), { path }, rows, context());

test('numbers are numbers only where they are exact', async () => {
  await files.put(
    'numbers.csv',
    'whole,wide,double,word\n1,9007199254740993,1.5,x\n-2,-9007199254740993,1e10,\n',
  );
  expect(await look('numbers.csv')).toMatchObject({
    rows: [
      [1, '9007199254740993', 1.5, 'x'],
      [-2, '-9007199254740993', 1e10, null],
    ],
    truncated: false,
  });
});

test('a large file is looked at no further than its beginning', async () => {
  const line = `${'y'.repeat(999)}\n`;
  await files.put('large.csv', `n,text\n${`1,${line}`.repeat(20_000)}`);
  const shown = await look('large.csv', 10_000);
  expect(shown?.truncated).toBe(true);
  expect(shown?.rows.length).toBeGreaterThan(1_000);
  expect(shown?.rows.length).toBeLessThan(10_000);
  expect(shown?.rows.every(([, text]) => text === 'y'.repeat(999))).toBe(true);
});

test('packed files, and long values', async () => {
  await files.put('packed.csv.gz', gzipSync(`a,b\n1,${'z'.repeat(5_000)}\n`));
  const shown = await look('packed.csv.gz');
  expect(shown).toMatchObject({ columns: [{ name: 'a', type: 'bigint' }, { name: 'b' }] });
  expect(shown?.rows[0]).toEqual([1, 'z'.repeat(4_096)]);
  expect(shown?.truncated).toBe(true);
});

test('Parquet with its own types, bytes in base64', async () => {
  const path = `${files.root}/typed.parquet`;
  const scratch = await files.scratch('test');
  await files.duckdb.run(
    {
      directory: scratch.path,
      reads: [],
      statements: [
        {
          sql:
            `COPY (SELECT 1::BIGINT AS n, '\\x00\\xFF'::BLOB AS raw, true AS yes, ` +
            `DATE '2026-11-21' AS day, [1, 2] AS list, 1.10::DECIMAL(5,2) AS price) ` +
            `TO '${scratch.path}/typed.parquet' (FORMAT parquet)`,
        },
      ],
    },
    context().signal,
  );
  await copyFile(`${scratch.path}/typed.parquet`, path);
  await scratch.remove();
  expect(await look('typed.parquet')).toMatchObject({
    rows: [[1, 'AP8=', true, '2026-11-21', '[1,2]', '1.10']],
    truncated: false,
  });
  expect(await surveyBeginning(deps(), { path: 'typed.parquet' }, context())).toMatchObject({
    format: 'parquet',
  });
});

test('what is not there is undefined, and what cannot be read says why', async () => {
  expect(await look('nothing-*.csv')).toBeUndefined();
  await files.put('odd.bin', 'x');
  await expect(look('odd.bin')).rejects.toMatchObject({ failure: { code: 'config_invalid' } });
  await files.put('wrong.csv.gz', 'not packed');
  await expect(look('wrong.csv.gz')).rejects.toMatchObject({
    failure: { code: 'config_invalid' },
  });
  await files.put('empty.csv', '');
  await expect(look('empty.csv')).rejects.toMatchObject({ failure: { code: 'config_invalid' } });
});
