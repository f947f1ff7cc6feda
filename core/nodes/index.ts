import type { NodeType } from './nodeType.js';
import { destinationFiles } from './destinationFiles.js';
import { destinationHttp } from './destinationHttp.js';
import { destinationTable } from './destinationTable.js';
import { destinationTopic } from './destinationTopic.js';
import { sourceFiles } from './sourceFiles.js';
import { sourceGenerate } from './sourceGenerate.js';
import { sourceHttp } from './sourceHttp.js';
import { sourceInline } from './sourceInline.js';
import { sourceQuery } from './sourceQuery.js';
import { sourceTable } from './sourceTable.js';
import { sourceTopic } from './sourceTopic.js';
import { transformAggregate } from './transformAggregate.js';
import { transformDedupe } from './transformDedupe.js';
import { transformDerive } from './transformDerive.js';
import { transformFilter } from './transformFilter.js';
import { transformJoin } from './transformJoin.js';
import { transformPivot } from './transformPivot.js';
import { transformSelect } from './transformSelect.js';
import { transformSort } from './transformSort.js';
import { transformSql } from './transformSql.js';
import { transformUnion } from './transformUnion.js';
import { transformUnpivot } from './transformUnpivot.js';
import { transformValidate } from './transformValidate.js';

/** The catalogue: what this version can run. A new type is a file beside this one and a line here. */
export const nodeTypes: readonly NodeType[] = [
  sourceTable,
  sourceQuery,
  sourceFiles,
  sourceHttp,
  sourceTopic,
  sourceGenerate,
  sourceInline,
  transformFilter,
  transformSelect,
  transformDerive,
  transformJoin,
  transformAggregate,
  transformUnion,
  transformDedupe,
  transformSort,
  transformPivot,
  transformUnpivot,
  transformSql,
  transformValidate,
  destinationTable,
  destinationFiles,
  destinationHttp,
  destinationTopic,
];

export const nodeTypeOf = (type: unknown): NodeType | undefined =>
  nodeTypes.find((candidate) => candidate.type === type);
