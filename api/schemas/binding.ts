import { AppError } from '../../core/errors.js';
import { parseGraph } from '../../core/graph/index.js';
import type { LiveContext, ScopedContext } from '../context.js';
import { refuseUnlessRunnable } from './graph.js';

interface StoredGraph {
  nodes: string;
  edges: string;
}

/** Only transforms have expressions that DuckDB has to understand. */
const hasExpressions = (graph: StoredGraph): boolean =>
  parseGraph(graph).nodes.some(({ type }) => type.startsWith('transform.'));

/**
 * Has a worker bind the expressions of a graph over the columns that arrive there, and refuses what
 * means nothing. Runs before the transaction that wants a graph that can run.
 */
export const refuseUnlessBinding = async (
  graph: StoredGraph,
  { repos, scope, live, signal }: ScopedContext & LiveContext,
): Promise<void> => {
  await refuseUnlessRunnable(graph, repos, scope);
  if (!hasExpressions(graph)) return;
  const { nodes, edges } = graph;
  const { issues } = await live(scope, 'bindGraph', { nodes, edges }, signal);
  if (issues.length === 0) return;
  throw new AppError('invalid_graph', 'The pipeline cannot run as it is.', { errors: issues });
};

/** The version that is known to bind: what a transaction that needs it compares with. */
export interface BoundVersion {
  version: number;
}

/** Binds the definition of a stored pipeline, unless that was done for the version it has. */
export const bindStored = async (
  id: string,
  context: ScopedContext & LiveContext,
): Promise<BoundVersion> => {
  const pipeline = await context.repos.pipelines.getLive(context.scope, id);
  if (pipeline.bound_version !== pipeline.version) await refuseUnlessBinding(pipeline, context);
  return { version: pipeline.version };
};

/** Remembers the binding; refused where the definition changed while it was checked. */
export const recordBinding = async (
  stored: { id: string; version: number; bound_version: number | null },
  bound: BoundVersion | undefined,
  { repos, scope }: Pick<ScopedContext, 'repos' | 'scope'>,
): Promise<void> => {
  if (bound?.version !== stored.version) {
    throw new AppError('wrong_state', 'The definition changed at this moment; try again.');
  }
  if (stored.bound_version !== stored.version) {
    await repos.pipelines.markBound(scope, stored.id, stored.version);
  }
};
