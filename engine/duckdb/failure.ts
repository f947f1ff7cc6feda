import { RunFailure } from '../../core/failures.js';
import type { Failure } from '../../core/failures.js';
import type { EngineError } from './wire.js';

/** What DuckDB said, kept for those who know which statement it was about. */
export class DuckFailure extends RunFailure {
  constructor(
    failure: Failure,
    readonly engineError: EngineError,
  ) {
    super(failure);
  }
}

/** Some value of some row was at fault; without that row the program would have gone on. */
export const isDataError = (error: unknown): boolean =>
  error instanceof RunFailure &&
  error.failure.code === 'expression_error' &&
  error.failure.class === 'schema';

/** Only names of types are taken over from a message that may hold values of rows. */
const wantedType = /\bto (?:type )?([A-Z][A-Z0-9_]*(?:\(\d+,\d+\))?)(?: when |$)/;

const ofStatement = ({ type, message }: EngineError): Failure => ({
  code: 'expression_error',
  class: 'config',
  message: `${message.split('\n')[0] ?? ''} (${type}).`,
});

const ofData = (error: EngineError): Failure => {
  const { type, message, preparing } = error;
  if (preparing) return ofStatement(error);
  const wanted = type === 'Conversion' ? wantedType.exec(message.split('\n')[0] ?? '')?.[1] : '';
  const what = wanted
    ? `a value that cannot be converted to ${wanted}`
    : 'a value that an expression cannot work with';
  return {
    code: 'expression_error',
    class: 'schema',
    message: `A row has ${what} (${type}). Filter such rows out, or use try_cast or try().`,
  };
};

const outOfMemory: Failure = {
  code: 'resource_exhausted',
  class: 'config',
  message:
    'The transform needs more memory than it is given: give it fewer or smaller rows at a time, ' +
    'or run the worker with more memory for each slot.',
};

const refused: Failure = {
  code: 'expression_error',
  class: 'config',
  message: 'A statement asked for something that transforms may not do.',
};

/** Files that cannot be read or written may be there on another attempt or on another worker. */
const input: Failure = {
  code: 'internal',
  class: 'transient',
  message: 'Files of the transform could not be read or written.',
};

const unknown: Failure = {
  code: 'internal',
  class: 'internal',
  message: 'DuckDB failed in a way that nobody expected.',
};

const byType: Readonly<Record<string, (error: EngineError) => Failure>> = {
  Conversion: ofData,
  'Out of Range': ofData,
  'Invalid Input': ofData,
  'Mismatch Type': ofData,
  'Invalid Type': ofData,
  Constraint: ofData,
  Binder: ofStatement,
  Catalog: ofStatement,
  Parser: ofStatement,
  Syntax: ofStatement,
  'Not implemented': ofStatement,
  'Parameter Not Resolved': ofStatement,
  Permission: () => refused,
  'Out of Memory': () => outOfMemory,
  IO: () => input,
};

export const failureOf = (error: EngineError): DuckFailure =>
  new DuckFailure(
    (Object.hasOwn(byType, error.type) ? byType[error.type] : undefined)?.(error) ?? unknown,
    error,
  );

export const memoryFailure = (): RunFailure => new RunFailure(outOfMemory);

export const timeFailure = (timeoutMs: number): RunFailure =>
  new RunFailure({
    code: 'resource_exhausted',
    class: 'config',
    message:
      `The transform took longer than ${timeoutMs / 1000} s: give it fewer rows at a time, or ` +
      'look for a join that multiplies them.',
  });

export const sizeFailure = (): RunFailure =>
  new RunFailure({
    code: 'resource_exhausted',
    class: 'config',
    message: 'The result is too large to be shown: ask for fewer rows or smaller values.',
  });

/** Killed from outside, or a fault of DuckDB's own: what it worked on is tried again. */
export const lostFailure = (): RunFailure =>
  new RunFailure({
    code: 'internal',
    class: 'transient',
    message: 'The process that ran the transform ended unexpectedly.',
  });
