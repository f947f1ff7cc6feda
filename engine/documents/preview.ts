import type { Rows } from '../../core/browse.js';
import type { CallContext, SourceRequest } from '../../connectors/connector.js';
import type { DocumentSource } from '../../connectors/documents.js';
import { showRelation } from '../files/showRelation.js';
import { linesRelation } from './relation.js';
import { documentColumns } from './source.js';
import type { DocumentDeps } from './source.js';

/** The first records, for somebody who looks at them. */
export const previewDocuments = async (
  source: DocumentSource,
  deps: DocumentDeps,
  request: SourceRequest,
  rows: number,
  ctx: CallContext,
): Promise<Rows> => {
  const columns = await documentColumns(source, deps, request, ctx);
  const { path: directory, remove } = await deps.scratch('look');
  try {
    // One more than is wanted says whether there are more.
    const lines = source.sample(request, rows + 1, ctx);
    const relation = await linesRelation(lines, columns, deps.maxRowBytes, directory, ctx);
    return await showRelation(deps.duckdb, relation, rows, directory, ctx);
  } finally {
    await remove();
  }
};
