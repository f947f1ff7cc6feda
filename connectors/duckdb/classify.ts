import { connectFailure } from '../../core/connecting.js';
import { RunFailure } from '../../core/failures.js';
import type { Failure } from '../../core/failures.js';
import type { OpenDeps } from '../connector.js';
import type { DatabaseProblem } from '../duckdbPort.js';

type Role = OpenDeps['role'];

/** Another process has the file open in a way that shuts us out. */
export const isLocked = ({ type, message }: DatabaseProblem): boolean =>
  type === 'IO' && /could not set lock on file/i.test(message);

/** What our own statements may find wrong. */
type OwnWord = 'superseded' | 'value' | 'refused' | 'taken' | 'null_key' | 'duplicate' | 'count';

/** SQL that fails with one of these words. */
export const failSql = (word: OwnWord): string => `error('fluxline:${word}')`;

export const failWhere = (condition: string, word: OwnWord): string =>
  `SELECT CASE WHEN ${condition} THEN ${failSql(word)} END`;

const ownFailure = ({ message }: DatabaseProblem): Failure | undefined => {
  const word = /^fluxline:([a-z_]+)$/.exec(message)?.[1] ?? '';
  return Object.hasOwn(ownFailures, word) ? ownFailures[word as OwnWord] : undefined;
};

/** Another generation has taken over, or the delivery was undone: the stage has to start over. */
export const superseded = (): RunFailure =>
  new RunFailure({
    code: 'snapshot_lost',
    class: 'transient',
    message: 'The stage has started over or was undone meanwhile: this attempt writes nothing.',
  });

const ownFailures: Readonly<Record<OwnWord, Failure>> = {
  superseded: superseded().failure,
  value: {
    code: 'destination_constraint_violation',
    class: 'schema',
    message: 'The table does not take a row: a value is not one of its column’s type.',
  },
  refused: {
    code: 'destination_constraint_violation',
    class: 'schema',
    message: 'The table does not take a row: a constraint does not hold.',
  },
  taken: {
    code: 'destination_constraint_violation',
    class: 'schema',
    message: 'The table does not take a row: there is one with the same key.',
  },
  null_key: {
    code: 'destination_constraint_violation',
    class: 'schema',
    message: 'A row has NULL in a key column; nothing of its split was written.',
  },
  duplicate: {
    code: 'duplicate_key',
    class: 'schema',
    message:
      'Which row of a key is to be written is not said: a key comes more than once. Set orderBy, ' +
      'or remove the others before (dedupe).',
  },
  count: {
    code: 'count_mismatch',
    class: 'internal',
    message: 'The table took another number of rows than were sent: all of it was rolled back.',
  },
};

const firstLine = (message: string): string => message.split('\n')[0] ?? '';

const config = (message: string): Failure => ({
  code: 'config_invalid',
  class: 'config',
  message,
});

const opening = ({ message }: DatabaseProblem, role: Role, where: string): RunFailure => {
  const said = firstLine(message);
  const plain = (failure: Failure): RunFailure => new RunFailure(failure);
  if (/not a valid DuckDB database|encrypt/i.test(said)) {
    return plain(config(`${where} is no database of DuckDB, or an encrypted one.`));
  }
  if (/version number|serialization/i.test(said)) {
    return plain(
      config(`${where} is of another version of DuckDB than the workers have: convert it.`),
    );
  }
  if (/permission denied|read-only file system/i.test(said)) {
    return connectFailure('permission_denied', { role, where });
  }
  if (/no such file|does not exist/i.test(said)) {
    return connectFailure('database_missing', { role, where });
  }
  return plain(config(`${where} cannot be opened: check it with DuckDB itself.`));
};

const outOfRoom: Failure = {
  code: 'resource_exhausted',
  class: 'transient',
  message: 'The disk is full: make room on it.',
};

const ofRows = (role: Role): Failure =>
  role === 'destination'
    ? {
        code: 'destination_constraint_violation',
        class: 'schema',
        message: 'The table does not take a row: a value is not one of its column’s type.',
      }
    : {
        code: 'expression_error',
        class: 'schema',
        message: 'A row has a value that the query or a condition cannot work with.',
      };

/** Their messages hold names and types, and no values. */
const aboutSql = new Set([
  'Binder',
  'Parser',
  'Syntax',
  'Not implemented',
  'Catalog',
  'Dependency',
]);
const aboutRows = new Set(['Conversion', 'Out of Range', 'Invalid Input', 'Mismatch Type']);

const running = ({ type, message }: DatabaseProblem, role: Role): Failure => {
  if (type === 'Constraint') {
    return {
      code: 'destination_constraint_violation',
      class: 'schema',
      message: 'A constraint of the table, or one that refers to it, does not hold for a row.',
    };
  }
  if (type === 'Catalog' && /does not exist/.test(message)) {
    return { code: 'schema_drift', class: 'schema', message: `${firstLine(message)}.` };
  }
  if (aboutSql.has(type)) {
    return { code: 'expression_error', class: 'config', message: `${firstLine(message)}.` };
  }
  if (aboutRows.has(type)) return ofRows(role);
  if (type === 'Permission') {
    return config('A statement or a view asked for a file or a setting, which it may not reach.');
  }
  if (type === 'Out of Memory') {
    return {
      code: 'resource_exhausted',
      class: 'config',
      message: 'DuckDB needs more memory than it is given: run the worker with more of it.',
    };
  }
  if (/no space left|quota/i.test(message)) return outOfRoom;
  return { code: 'internal', class: 'transient', message: `DuckDB failed (${type}).` };
};

/** What a problem of DuckDB's means to a user. */
export const classify = (problem: DatabaseProblem, role: Role, where: string): RunFailure => {
  if (isLocked(problem)) return connectFailure('locked', { role, where });
  if (problem.statement < 0) return opening(problem, role, where);
  return new RunFailure(ownFailure(problem) ?? running(problem, role));
};
