import type { NodeType } from './nodeType.js';
import { destinationTable } from './destinationTable.js';
import { sourceGenerate } from './sourceGenerate.js';
import { sourceInline } from './sourceInline.js';

/** The catalogue: what this version can run. A new type is a file beside this one and a line here. */
export const nodeTypes: readonly NodeType[] = [sourceGenerate, sourceInline, destinationTable];

export const nodeTypeOf = (type: unknown): NodeType | undefined =>
  nodeTypes.find((candidate) => candidate.type === type);
