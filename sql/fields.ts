/** Reading a serialized statement field by field; what nobody expects is an error, never skipped. */

/** A shape that this version of Fluxline does not know. */
export class Unfamiliar extends Error {
  override readonly name = 'Unfamiliar';

  constructor(
    readonly what: string,
    readonly at?: number,
  ) {
    super(`${what} is not a shape that is known here`);
  }
}

export type Fields = Readonly<Record<string, unknown>>;

const token = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"|-?(?:\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|Infinity|NaN)/g;

/**
 * JSON with every number as text: positions reach 2^64, integers 2^128, and infinity is no JSON.
 */
export const parseWithoutNumbers = (json: string): unknown =>
  JSON.parse(json.replace(token, (found) => (found.startsWith('"') ? found : `"${found}"`)));

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === false ||
  value === '' ||
  (Array.isArray(value) && value.length === 0);

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const fieldsOf = (value: unknown, what: string): Fields => {
  if (!isFields(value)) throw new Unfamiliar(what);
  return value;
};

/** Fails where a field beyond `names` says something. */
export const expectOnly = (fields: Fields, what: string, names: readonly string[]): void => {
  const stranger = Object.keys(fields).find(
    (name) => !names.includes(name) && !isEmpty(fields[name]),
  );
  if (stranger !== undefined) throw new Unfamiliar(`${what} with ${stranger}`, placeIn(fields));
};

/** No place is 2^64 - 1; others are far below what a number holds. */
const noPlace = 16;

export const placeIn = (fields: Fields): number | undefined => {
  const at = fields['query_location'];
  return typeof at === 'string' && at.length < noPlace ? Number(at) : undefined;
};

export const textIn = (fields: Fields, name: string): string => {
  const value = fields[name];
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') throw new Unfamiliar(name, placeIn(fields));
  return value;
};

export const listIn = (fields: Fields, name: string): readonly unknown[] => {
  const value = fields[name];
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new Unfamiliar(name, placeIn(fields));
  return value as readonly unknown[];
};

export const textsIn = (fields: Fields, name: string): readonly string[] =>
  listIn(fields, name).map((value) => {
    if (typeof value !== 'string') throw new Unfamiliar(name, placeIn(fields));
    return value;
  });
