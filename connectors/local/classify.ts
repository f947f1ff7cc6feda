import type { Failure, FailureClass, FailureCode } from '../../core/failures.js';
import { RunFailure } from '../../core/failures.js';
import type { Role } from '../manifest.js';

type Rule = [codes: readonly string[], code: FailureCode, kind: FailureClass, message: string];

const rules: readonly Rule[] = [
  [['ENOSPC', 'EDQUOT'], 'resource_exhausted', 'transient', 'The disk is full: make room on it.'],
  [['EFBIG'], 'resource_exhausted', 'config', 'The file is larger than the file system allows.'],
  [['EMFILE', 'ENFILE'], 'resource_exhausted', 'transient', 'Too many files are open.'],
  [['EROFS'], 'config_invalid', 'config', 'The file system is read-only.'],
  [['ENAMETOOLONG'], 'config_invalid', 'config', 'The path is longer than the system allows.'],
  [
    ['EISDIR', 'ENOTDIR', 'EEXIST'],
    'config_invalid',
    'config',
    'A directory is in a file’s place.',
  ],
];

const denied = (role: Role): Failure => ({
  code: role === 'source' ? 'config_invalid' : 'destination_permission_denied',
  class: 'config',
  message: `The worker may not ${role === 'source' ? 'read' : 'write'} here: grant its user access.`,
});

const unreachable = (role: Role): Failure => ({
  code: role === 'source' ? 'source_unreachable' : 'destination_unreachable',
  class: 'transient',
  message: 'The file system did not answer as it should.',
});

/** What an error of the file system means to a user; `key` is the user's own name for the file. */
export const classify = (error: unknown, role: Role, key: string): RunFailure => {
  if (error instanceof RunFailure) return error;
  const code = codeOf(error);
  const rule = rules.find(([codes]) => codes.includes(code));
  const failure: Failure = rule
    ? { code: rule[1], class: rule[2], message: rule[3] }
    : code === 'EACCES' || code === 'EPERM'
      ? denied(role)
      : code === 'ENOENT'
        ? { code: 'schema_drift', class: 'schema', message: 'The file is not there (any more).' }
        : unreachable(role);
  const place = key === '' ? '' : ` (${key})`;
  return new RunFailure(
    { ...failure, message: `${failure.message}${place} [${code}]` },
    { cause: error },
  );
};

export const codeOf = (error: unknown): string => {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : 'unknown';
};
