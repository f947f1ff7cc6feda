import type { TObject } from '@sinclair/typebox';
import type { Issue } from '../errors.js';

export type NodeRole = 'source' | 'transform' | 'destination';

/** A kind of node: what its config may be and where edges attach. Data, served by the API as it is. */
export interface NodeType {
  type: string;
  role: NodeRole;
  title: string;
  description: string;
  /** `many`: several edges may end in this port. */
  inputs: readonly { port: string; many: boolean }[];
  outputs: readonly string[];
  /** An open object: keys it does not know are kept, and none of its business. */
  config: TObject;
  /** The keys of `config` that hold the id of a connection. */
  connectionKeys: readonly string[];
  /** What the schema cannot say. Called with a config that fits it. */
  check?(config: unknown, at: string): Issue[];
  example: Readonly<Record<string, unknown>>;
}
