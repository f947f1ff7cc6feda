import type { Place } from './place.js';

/** SQL that is not run, and why; `place` is in the text as the user wrote it. */
export class SqlRefusal extends Error {
  override readonly name = 'SqlRefusal';

  constructor(
    message: string,
    readonly place?: Place,
  ) {
    super(message);
  }
}
