import type { LooseGraph } from './graph.js';

export interface ConnectionUse {
  pointer: string;
  connectionId: string;
}

const uuid = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/** Where a graph names connections, by well-formed id. */
export const connectionUses = ({ nodes }: Pick<LooseGraph, 'nodes'>): ConnectionUse[] =>
  nodes.flatMap((node, index) => {
    const { config } = node as { config?: unknown };
    if (typeof config !== 'object' || config === null) return [];
    const { connectionId } = config as { connectionId?: unknown };
    if (typeof connectionId !== 'string' || !uuid.test(connectionId)) return [];
    return [{ pointer: `/nodes/${index}/config/connectionId`, connectionId }];
  });

export const connectionIdsOf = (graph: Pick<LooseGraph, 'nodes'>): string[] => [
  ...new Set(connectionUses(graph).map(({ connectionId }) => connectionId)),
];
