/**
 * A failure that a person can act on. Its message is one line that says what to do; whoever catches
 * it prints that line and no stack trace.
 */
export class StartError extends Error {
  /**
   * @param {string} message
   * @param {ErrorOptions} [options]
   */
  constructor(message, options) {
    super(message, options);
    this.name = 'StartError';
  }
}

/**
 * @param {unknown} error
 * @param {string} code as in `error.code` of Node's own errors
 */
export const hasCode = (error, code) =>
  error instanceof Error && 'code' in error && error.code === code;

/**
 * What to print about a failure: the line of one that is foreseen, the stack of any other.
 * @param {unknown} error
 */
export function failureText(error) {
  if (error instanceof StartError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
