import type { TObject } from '@sinclair/typebox';
import type { Issue } from '../errors.js';

export type NodeRole = 'source' | 'transform' | 'destination';

/** SQL within a config. */
export interface ConfigSql {
  /** Where it stands, as a JSON pointer into the config. */
  pointer: string;
  sql: string;
  /** An expression over the columns that arrive, or a query over named relations. */
  kind: 'expression' | 'query';
  /** Whose SQL it is: the engine's (DuckDB), or that of the system behind the connection. */
  dialect: 'engine' | 'connection';
}

/** A kind of node: what its config may be and where edges attach. Data, served by the API as it is. */
export interface NodeType {
  type: string;
  role: NodeRole;
  title: string;
  description: string;
  /** `many`: several edges may end in this port. */
  inputs: readonly { port: string; many: boolean }[];
  /** Edges may also end in ports of other names, one in each. */
  namedInputs?: true;
  outputs: readonly string[];
  /** A transform that turns each row into one row or none, whatever the other rows are. */
  rowByRow?: true;
  /** An open object: keys it does not know are kept, and none of its business. */
  config: TObject;
  /** The keys of `config` that hold the id of a connection. */
  connectionKeys: readonly string[];
  /** What the schema cannot say. Called with a config that fits it. */
  check?(config: unknown, at: string): Issue[];
  /** The SQL in a config that fits the schema. */
  sqlIn?(config: unknown): ConfigSql[];
  example: Readonly<Record<string, unknown>>;
}
