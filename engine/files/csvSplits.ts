import type { CallContext } from '../../connectors/connector.js';
import type { StoreFile } from '../../connectors/store.js';
import { splitPoints } from '../csv/splitPoints.js';
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

/** A csv file in parts that begin with rows; one that cannot be cut is one part. */
export const csvParts = async (
  { store }: FileDeps,
  survey: Survey,
  file: StoreFile,
  targetBytes: number,
  ctx: CallContext,
): Promise<FilePart[]> => {
  const { key, etag, bytes } = file;
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
