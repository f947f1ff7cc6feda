/** What of nodes that read or write tables concerns a connector: their settings without what is ours. */
import type { DestinationTableConfig } from '../core/nodes/destinationTable.js';
import type { SourceTableConfig } from '../core/nodes/sourceTable.js';

export type TableConfig = Omit<DestinationTableConfig, 'connectionId' | 'maxErrors' | 'mode'> &
  Partial<Pick<DestinationTableConfig, 'mode'>>;

export type Order = NonNullable<TableConfig['orderBy']>[number];

/** Rows whose column lies in it: from is inside, to is not. */
export type Window = NonNullable<SourceTableConfig['window']>;

export type TableSource = Pick<SourceTableConfig, 'table' | 'schema' | 'where' | 'window'> & {
  columns?: readonly string[];
};

export interface QuerySource {
  sql: string;
  /** Other sources of the same connection that `sql` names, as if they were tables. */
  with?: readonly { name: string; type: string; config: SourceConfig }[];
}

export type SourceConfig = TableSource | QuerySource;

export const isTable = (config: SourceConfig): config is TableSource => 'table' in config;
