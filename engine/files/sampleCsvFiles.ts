import type { CallContext } from '../../connectors/connector.js';
import type { StoreFile } from '../../connectors/store.js';
import { beginningOf } from './contents.js';
import { sampleCsv } from './csvSample.js';
import { mergeKinds } from './mergedKinds.js';
import type { NamedKind } from './mergedKinds.js';
import { packingOf } from './format.js';
import { plainText } from './localFiles.js';
import type { FileDeps } from './localFiles.js';
import type { Sampled, Sampling } from './survey.js';

/** Rows with more bytes than this are not waited for. */
const sampleBytes = 2 * 1024 * 1024;

/** Looks at the beginnings of files. The first one with rows decides how all are read. */
export const sampleCsvFiles = async (
  deps: FileDeps,
  files: readonly StoreFile[],
  { config }: Sampling,
  directory: string,
  ctx: CallContext,
): Promise<Sampled> => {
  const packing = packingOf(config);
  const { columns, ...given } = config.options ?? {};
  let options = { ...given };
  let csv: Sampled['csv'];
  let rows = 0;
  const found: NamedKind[][] = [];
  for (const file of files) {
    const { bytes: size } = file;
    ctx.signal.throwIfAborted();
    const unpack = { packing, before: 0, lines: 20_480 };
    const { open } = await plainText(deps, file, unpack, directory, ctx);
    const { bytes, whole } = await beginningOf(open(), sampleBytes);
    const text = whole ? Buffer.concat([bytes, Buffer.from('\n')]) : bytes;
    const sample = sampleCsv(text, options);
    if (!sample) continue;
    csv ??= sample.layout;
    options = { ...options, ...csv.dialect, header: csv.header };
    found.push(sample.names.map((name, index) => ({ name, kind: sample.kinds[index] ?? 'empty' })));
    rows += whole ? sample.rows : (sample.rows * size) / Math.max(1, bytes.length);
  }
  return { columns: columns ? [] : mergeKinds(found), rows, ...(csv ? { csv } : {}) };
};
