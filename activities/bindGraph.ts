import type { Issue } from '../core/errors.js';
import { RunFailure } from '../core/failures.js';
import { parseGraph } from '../core/graph/index.js';
import type { LiveCalls } from '../core/live.js';
import { planGraph } from '../core/plan/index.js';
import type { WorkspaceScope } from '../core/scope.js';
import { bindStage } from '../engine/prepare.js';
import { datasetColumns } from '../engine/transform/parquet.js';
import type { RelationColumn } from '../engine/transform/relation.js';
import { noLog } from './jobLog.js';
import type { ActivityDeps } from './deps.js';
import { withEnds } from './ends.js';

/** What the user has to change in the graph; anything else is about their systems. */
const isAboutGraph = ({ failure }: RunFailure): boolean =>
  failure.code === 'expression_error' || failure.code === 'config_invalid';

/**
 * Plans a graph and has DuckDB bind its expressions over the columns that the sources have now.
 * Destinations are not touched.
 */
export const bindGraph = async (
  deps: ActivityDeps,
  scope: WorkspaceScope,
  { nodes, edges }: LiveCalls['bindGraph']['asks'],
  signal: AbortSignal,
): Promise<LiveCalls['bindGraph']['answers']> => {
  const graph = parseGraph({ nodes, edges });
  const ctx = { signal, log: noLog };
  const { duckdb, scratch } = deps.engine;
  const { path: directory, remove } = await scratch('bind');
  const settings = { duckdb, directory, now: new Date().toISOString() };
  const datasets = new Map<string, readonly RelationColumn[]>();
  const issueOf = (error: unknown): Issue => {
    if (!(error instanceof RunFailure) || !isAboutGraph(error)) throw error;
    const { nodeId, code, message } = error.failure;
    const index = graph.nodes.findIndex(({ id }) => id === nodeId);
    return { pointer: index < 0 ? '/nodes' : `/nodes/${index}`, code, message };
  };
  try {
    for (const stage of planGraph(graph).stages) {
      const columns = await withEnds(deps, scope, stage, { sources: true }, async (ends) => {
        const { columns: bound } = await bindStage(
          { stage, ends, datasets, bounds: undefined },
          settings,
          ctx,
        );
        return bound;
      });
      if (stage.output.kind === 'dataset') datasets.set(stage.id, datasetColumns(columns));
    }
  } catch (error) {
    return { issues: [issueOf(error)] };
  } finally {
    await remove();
  }
  return { issues: [] };
};
