import { nodeTypeOf } from '../nodes/index.js';
import type { ConfigSql } from '../nodes/nodeType.js';
import { checkSchema } from '../schema.js';
import type { LooseGraph } from './graph.js';
import { field } from './shape.js';

/** SQL in a graph; the pointer leads to it from the graph. */
export interface GraphSql extends ConfigSql {
  nodeId: string;
}

/** All SQL in those configs that have their type's form; the others have worse to be told. */
export const sqlOf = ({ nodes }: Pick<LooseGraph, 'nodes'>): GraphSql[] =>
  nodes.flatMap((node, index) => {
    const id = field(node, 'id');
    const type = nodeTypeOf(field(node, 'type'));
    const config = field(node, 'config') ?? {};
    if (typeof id !== 'string' || !type?.sqlIn) return [];
    if (checkSchema(type.config, config, '').length > 0) return [];
    return type.sqlIn(config).map((one) => ({
      ...one,
      nodeId: id,
      pointer: `/nodes/${index}/config${one.pointer}`,
    }));
  });
