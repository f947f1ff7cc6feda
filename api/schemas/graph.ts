import { Type } from '@sinclair/typebox';
import { AppError } from '../../core/errors.js';
import type { Issue } from '../../core/errors.js';
import {
  connectionIdsOf,
  connectionUses,
  parseGraph,
  sqlOf,
  validateGraph,
} from '../../core/graph/index.js';
import type { WorkspaceScope } from '../../core/scope.js';
import type { Repos } from '../../db/repos/index.js';
import { expressionProblem, queryProblem } from '../../sql/check.js';
import { anyObject } from './objects.js';

/** Nodes and edges are open objects: what we do not know is kept, the rest is the graph's rules. */
export const nodes = Type.Array(anyObject, { maxItems: 500 });
export const edges = Type.Array(anyObject, { maxItems: 2_000 });

export { connectionIdsOf };

interface GraphBody {
  nodes: Record<string, unknown>[];
  edges: Record<string, unknown>[];
}

const refuse = (message: string, errors: readonly Issue[]): void => {
  if (errors.length > 0) throw new AppError('invalid_graph', message, { errors });
};

/** What is not even SQL. What means nothing is only found by binding it. */
const sqlWarnings = (graph: GraphBody): Issue[] =>
  sqlOf(graph).flatMap(({ pointer, sql, kind }) => {
    const problem = kind === 'expression' ? expressionProblem(sql) : queryProblem(sql);
    if (!problem) return [];
    const { line, column, message } = problem;
    return [{ pointer, code: 'sql', message: `At line ${line}, column ${column}: ${message}.` }];
  });

/** A draft may be incomplete, not contradictory. What would keep it from running comes back. */
export const refuseInvalidDraft = (graph: GraphBody): Issue[] => {
  const { errors, warnings } = validateGraph(graph, 'draft');
  refuse('The graph contradicts itself.', errors);
  return [...warnings, ...sqlWarnings(graph)];
};

/** What a run needs: a complete graph, over connections that exist. */
export const refuseUnlessRunnable = async (
  stored: { nodes: string; edges: string },
  repos: Repos,
  scope: WorkspaceScope,
): Promise<void> => {
  const graph = parseGraph(stored);
  refuse('The pipeline cannot run as it is.', validateGraph(graph, 'active').errors);
  const uses = connectionUses(graph);
  const known = await repos.references.connections(
    scope,
    uses.map(({ connectionId }) => connectionId),
  );
  const missing = uses.filter(({ connectionId }) => !known.has(connectionId));
  refuse(
    'The pipeline names a connection that does not exist.',
    missing.map(({ pointer }) => ({
      pointer,
      code: 'reference_not_found',
      message: 'There is no such connection.',
    })),
  );
};
