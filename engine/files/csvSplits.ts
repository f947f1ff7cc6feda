import type { CallContext, SplitOptions } from '../../connectors/connector.js';
import type { StoreFile } from '../../connectors/store.js';
import { splitPoints } from '../csv/splitPoints.js';
import { mayBeRead } from './csvInPlace.js';
import type { FilePart } from './fileRange.js';
import { compressionOf } from './format.js';
import type { FileDeps } from './localFiles.js';
import type { Survey } from './survey.js';

/** Whether a csv file can be read from its middle, and is worth looking through for where. */
const canBeCut = (survey: Survey, { key, bytes }: StoreFile, targetBytes: number): boolean => {
  const { packing, csv } = survey;
  return (
    bytes > targetBytes * 1.5 &&
    csv !== undefined &&
    packing.encoding === 'utf-8' &&
    compressionOf(key, packing) === 'none'
  );
};

/** Smaller files are looked through so soon that it does not matter how. */
const worthTrying = 0.25;

/**
 * A csv file in parts that begin with rows. One that cannot be cut is one part, as is one that may
 * be read where it is, if that is wanted.
 */
export const csvParts = async (
  deps: FileDeps,
  survey: Survey,
  file: StoreFile,
  { targetBytes, uncut = false }: SplitOptions,
  ctx: CallContext,
): Promise<FilePart[]> => {
  const { store } = deps;
  const { key, etag, bytes } = file;
  if (uncut && bytes > targetBytes * worthTrying && (await mayBeRead(deps, survey, file, ctx))) {
    return [{ key, etag, bytes, plain: true }];
  }
  // Finding the cuts takes reading all of it, which pays only where that is cheap.
  if (!store.localPath || !survey.csv || !canBeCut(survey, file, targetBytes)) {
    return [{ key, etag, bytes }];
  }
  const chunks = store.read(key, { from: 0, to: bytes }, ctx);
  const cuts = await splitPoints(chunks, targetBytes, survey.csv.dialect);
  const starts = [0, ...cuts];
  return starts.map((from, index) => {
    const to = starts[index + 1] ?? bytes;
    return { key, etag, bytes: to - from, from, to };
  });
};
