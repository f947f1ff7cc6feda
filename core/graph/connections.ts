import { nodeTypeOf } from '../nodes/index.js';
import type { NodeRole } from '../nodes/nodeType.js';
import { isUuid } from '../uuid.js';
import type { LooseGraph } from './graph.js';
import { field } from './shape.js';

export interface ConnectionUse {
  pointer: string;
  connectionId: string;
  /** What of the connection is needed; undefined for a type that this version does not know. */
  role: Exclude<NodeRole, 'transform'> | undefined;
}

/** Where types that this version does not know keep theirs, by the catalogue's custom. */
const customaryKeys = ['connectionId'] as const;

/** Where a graph names connections, by well-formed id. */
export const connectionUses = ({ nodes }: Pick<LooseGraph, 'nodes'>): ConnectionUse[] =>
  nodes.flatMap((node, index) => {
    const type = nodeTypeOf(field(node, 'type'));
    return (type?.connectionKeys ?? customaryKeys).flatMap((key) => {
      const connectionId = field(field(node, 'config'), key);
      if (!isUuid(connectionId)) return [];
      // A transform that names a connection has its system compute, and reads the answer.
      const role = type?.role === 'transform' ? 'source' : type?.role;
      return [{ pointer: `/nodes/${index}/config/${key}`, connectionId, role }];
    });
  });

export const connectionIdsOf = (graph: Pick<LooseGraph, 'nodes'>): string[] => [
  ...new Set(connectionUses(graph).map(({ connectionId }) => connectionId)),
];
