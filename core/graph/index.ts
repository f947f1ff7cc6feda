export { connectionIdsOf, connectionUses } from './connections.js';
export { parseGraph } from './graph.js';
export type { Graph, GraphEdge, GraphNode } from './graph.js';
export { sqlOf } from './sql.js';
export { validateGraph } from './validate.js';
