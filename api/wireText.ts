/** PostgreSQL text holds neither; both are refused at the door, wherever they come in. */
const unstorable = /[\0\p{Surrogate}]/u;

export const isStorable = (text: string): boolean => !unstorable.test(text);

export const unstorableMessage = 'The text holds a NUL or half of a surrogate pair.';

/** One step of a JSON pointer (RFC 6901). */
export const pointerStep = (name: string): string =>
  `/${name.replace(/~/g, '~0').replace(/\//g, '~1')}`;
