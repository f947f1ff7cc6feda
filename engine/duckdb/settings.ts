import path from 'node:path';
import { quoteName, quoteText } from './quote.js';
import type { AttachedDatabase, DuckProgram } from './program.js';

const list = (paths: readonly string[]): string => `[${paths.map(quoteText).join(', ')}]`;

/** Of the type that is named: anything else than a file of DuckDB's own would need an extension. */
const attach = ({ file, name, readOnly }: AttachedDatabase): string[] => [
  `ATTACH ${quoteText(file)} AS ${quoteName(name)} (TYPE duckdb${readOnly ? ', READ_ONLY' : ''})`,
  `USE ${quoteName(name)}.main`,
];

/**
 * What has to be said before a file that was attached can be given back: a statement that failed
 * keeps its instance, and with it the lock of the file, for as long as its process lives.
 */
export const detaching = ({ name }: AttachedDatabase): string[] => [
  'USE memory',
  `DETACH DATABASE IF EXISTS ${quoteName(name)}`,
];

/**
 * What an instance is told before the program runs. The order matters: the locked doors come last,
 * after everything that has to pass them.
 */
export const settingsOf = (program: DuckProgram, memoryBytes: number): string[] => [
  `SET temp_directory = ${quoteText(path.join(program.directory, 'tmp'))}`,
  `SET threads = ${program.threads ?? 1}`,
  `SET preserve_insertion_order = ${!program.unordered}`,
  `SET memory_limit = '${Math.floor(memoryBytes / 1024)}KiB'`,
  "SET TimeZone = 'UTC'",
  "SET Calendar = 'gregorian'",
  `SET allowed_directories = ${list([program.directory])}`,
  `SET allowed_paths = ${list(program.reads)}`,
  'SET autoinstall_known_extensions = false',
  'SET autoload_known_extensions = false',
  'SET allow_community_extensions = false',
  'SET errors_as_json = true',
  ...(program.database ? attach(program.database) : []),
  'SET enable_external_access = false',
  'SET lock_configuration = true',
];
