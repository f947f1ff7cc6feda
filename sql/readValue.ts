import type { ConstantExpression, SqlType } from './ast.js';
import { expectOnly, fieldsOf, isFields, listIn, placeIn, textIn } from './fields.js';
import type { Fields } from './fields.js';

export const readType = (value: unknown): SqlType => {
  const fields = fieldsOf(value, 'type');
  expectOnly(fields, 'type', ['id', 'type_info']);
  const id = textIn(fields, 'id');
  const info = isFields(fields['type_info']) ? fields['type_info'] : {};
  expectOnly(info, id, [
    ...['type', 'alias', 'width', 'scale', 'name', 'catalog', 'schema'],
    ...['child_type', 'child_types', 'size', 'user_type_modifiers', 'collation'],
  ]);
  const parts = listIn(info, 'child_types').map((part) => fieldsOf(part, id)['second']);
  const name = textIn(info, 'name') || textIn(info, 'alias');
  return {
    id,
    ...(name === '' ? {} : { name }),
    ...(textIn(info, 'catalog') || textIn(info, 'schema') ? { qualified: true } : {}),
    ...(info['width'] === undefined ? {} : { width: Number(textIn(info, 'width')) }),
    ...(info['scale'] === undefined ? {} : { scale: Number(textIn(info, 'scale')) }),
    children: [...(info['child_type'] ? [info['child_type']] : []), ...parts].map(readType),
  };
};

/** Integers of 128 bits come in two halves of which only the upper one has a sign. */
const joined = (halves: Fields): string | undefined =>
  typeof halves['upper'] === 'string' && typeof halves['lower'] === 'string'
    ? ((BigInt(halves['upper']) << 64n) + BigInt(halves['lower'])).toString()
    : undefined;

const scalar = (value: unknown): string | undefined => {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  return isFields(value) ? joined(value) : undefined;
};

export const readConstant = (fields: Fields): ConstantExpression => {
  expectOnly(fields, 'CONSTANT', ['class', 'type', 'alias', 'query_location', 'value']);
  const value = fieldsOf(fields['value'], 'constant');
  expectOnly(value, 'constant', ['type', 'is_null', 'value']);
  const isNull = value['is_null'] === true;
  return {
    kind: 'constant',
    alias: textIn(fields, 'alias'),
    at: placeIn(fields),
    type: readType(value['type']),
    value: isNull ? undefined : scalar(value['value']),
    isNull,
  };
};
