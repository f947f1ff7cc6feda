import path from 'node:path';
import { quoteText } from './quote.js';
import type { DuckProgram } from './program.js';

const list = (paths: readonly string[]): string => `[${paths.map(quoteText).join(', ')}]`;

/**
 * What an instance is told before the program runs. The order matters: the locked doors come last,
 * after everything that has to pass them.
 */
export const settingsOf = (program: DuckProgram, memoryBytes: number): string[] => [
  `SET temp_directory = ${quoteText(path.join(program.directory, 'tmp'))}`,
  `SET threads = ${program.threads ?? 1}`,
  `SET memory_limit = '${Math.floor(memoryBytes / 1024)}KiB'`,
  "SET TimeZone = 'UTC'",
  "SET Calendar = 'gregorian'",
  `SET allowed_directories = ${list([program.directory])}`,
  `SET allowed_paths = ${list(program.reads)}`,
  'SET autoinstall_known_extensions = false',
  'SET autoload_known_extensions = false',
  'SET allow_community_extensions = false',
  'SET errors_as_json = true',
  'SET enable_external_access = false',
  'SET lock_configuration = true',
];
