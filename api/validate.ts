import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { isStorable } from './wireText.js';
import { readSpan } from './schemas/timestamp.js';
import type { JsonSchema } from './shape.js';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const shownTimestamp = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

export const isUuid = (text: string): boolean => uuid.test(text);

/** Undefined when valid, else what Ajv found. */
type Check = (value: unknown) => readonly ErrorObject[] | undefined;

export interface Checks {
  /** Bodies, headers, path parameters: nothing is coerced. */
  exact: (schema: JsonSchema) => Check;
  /** Query strings: texts become the numbers and booleans they spell, in place. */
  coercing: (schema: JsonSchema) => Check;
}

const makeAjv = (coerceTypes: boolean): Ajv2020 => {
  const ajv = new Ajv2020({
    strict: true,
    strictTypes: true,
    strictTuples: true,
    allErrors: true,
    ownProperties: true,
    validateFormats: true,
    coerceTypes,
  });
  addFormats(ajv, ['email', 'uri']);
  ajv.addFormat('uuid', uuid);
  ajv.addFormat('date-time', shownTimestamp);
  ajv.addFormat(
    'timestamp-input',
    (text: string) => isStorable(text) && readSpan(text) !== undefined,
  );
  ajv.addKeyword({
    keyword: 'int64',
    schemaType: 'boolean',
    validate: (_wanted: boolean, value: unknown) =>
      typeof value === 'bigint' ? BigInt.asIntN(64, value) === value : Number.isSafeInteger(value),
    errors: false,
  });
  return ajv;
};

const asCheck =
  (validate: ValidateFunction): Check =>
  (value) =>
    validate(value) ? undefined : (validate.errors ?? []);

/** One pair of Ajv instances; schemas are compiled when the routes are mounted. */
export const makeChecks = (): Checks => {
  const exact = makeAjv(false);
  const coercing = makeAjv(true);
  return {
    exact: (schema) => asCheck(exact.compile(schema)),
    coercing: (schema) => asCheck(coercing.compile(schema)),
  };
};
