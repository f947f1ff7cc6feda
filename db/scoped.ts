import type { Model, QueryBuilder } from 'objection';
import type { Scope } from '../core/scope.js';

/** Narrows a query to what the scope may see. */
export const scoped = <M extends Model, R>(
  query: QueryBuilder<M, R>,
  scope: Scope,
  table: string,
): QueryBuilder<M, R> =>
  'workspaceId' in scope ? query.where(`${table}.workspace_id`, scope.workspaceId) : query;
