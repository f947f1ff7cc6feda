/** Looking around in a system, for somebody who waits. */
import type {
  NamePage,
  PageWanted,
  RowCaps,
  Rows,
  TableColumn,
  TableInfo,
} from '../core/browse.js';
import type { CallContext } from './connector.js';

export interface TableWanted {
  /** Where the call without one looks: the connection's default. */
  schema?: string;
  table: string;
}

/** What a query came to. What the system has against it is an answer too. */
export type QueryAnswer =
  | { ok: true; rows: Rows; rowsScanned: number; executionMs: number }
  | {
      ok: false;
      message: string;
      /** In the query, from 1, in characters. */
      position?: number;
    };

/** Parts that a system does not have are absent. */
export interface Browser {
  /** The schema that is meant where none is named; null where the system has none. */
  readonly defaultSchema: string | null;
  schemas?(page: PageWanted, ctx: CallContext): Promise<NamePage<{ name: string }>>;
  /** Undefined where there is no such schema. Partitions hide behind their table. */
  tables?(
    schema: string | undefined,
    page: PageWanted,
    ctx: CallContext,
  ): Promise<NamePage<TableInfo> | undefined>;
  /** Undefined where there is no such table. */
  columns?(wanted: TableWanted, ctx: CallContext): Promise<readonly TableColumn[] | undefined>;
  /** Databases of a server, attached databases, catalogs of a lakehouse. */
  catalogs?(
    page: PageWanted,
    ctx: CallContext,
  ): Promise<NamePage<{ name: string; schemas: readonly string[] }>>;
  /** Some rows of a table or topic; undefined where there is no such thing. */
  preview?(wanted: TableWanted, caps: RowCaps, ctx: CallContext): Promise<Rows | undefined>;
  /**
   * Runs SQL that has been read and found harmless (sql/), in a session that can only read and that
   * is given up afterwards. The caps hold whatever the query does.
   */
  query?(sql: string, caps: RowCaps, ctx: CallContext): Promise<QueryAnswer>;
}
