import type { Issue } from '../errors.js';
import { checkName } from '../names.js';
import { relationName } from '../nodes/transformSql.js';
import { targetPortOf } from './graph.js';
import type { Graph, GraphNode } from './graph.js';
import { field } from './shape.js';

/** The connection whose system runs a `transform.sql`; undefined for all other nodes. */
export const remoteConnectionOf = ({ type, config }: GraphNode): string | undefined => {
  const connectionId = field(config, 'connectionId');
  return type === 'transform.sql' && typeof connectionId === 'string' ? connectionId : undefined;
};

const readable = new Set(['source.table', 'source.query']);

/**
 * SQL that runs in another system sees only what that system has: its inputs are sources of the
 * same connection, which the query names and nobody else reads.
 */
export const checkRemote = ({ nodes, edges }: Graph): Issue[] => {
  const indexes = new Map(nodes.map(({ id }, index) => [id, index]));
  return nodes.flatMap((node, at) => {
    const connectionId = remoteConnectionOf(node);
    if (connectionId === undefined) return [];
    return edges.flatMap((edge): Issue[] => {
      const index = indexes.get(edge.source);
      const from = index === undefined ? undefined : nodes[index];
      if (edge.target !== node.id || !from) return [];
      const alone = edges.filter(({ source }) => source === from.id).length === 1;
      const same = field(from.config, 'connectionId') === connectionId;
      if (!readable.has(from.type) || !same || !alone) {
        const message =
          `With a connectionId the query runs in that system, where ${from.id} cannot be read: ` +
          'each input has to be a source.table or source.query of the same connection that ' +
          'feeds nothing else. Without a connectionId, any input will do.';
        return [{ pointer: `/nodes/${at}/config/connectionId`, code: 'remote_input', message }];
      }
      if (field(from.config, 'incremental') !== undefined) {
        const pointer = `/nodes/${index}/config/incremental`;
        const message = 'A source that a query in its own system reads cannot be incremental.';
        return [{ pointer, code: 'remote_input', message }];
      }
      return checkName(relationName(targetPortOf(edge), from.id), `/nodes/${at}/config/sql`).map(
        (issue) => ({ ...issue, message: `The name of input ${from.id}: ${issue.message}` }),
      );
    });
  });
};
