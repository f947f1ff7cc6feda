import { isStorableText } from '../core/text.js';
import type { ConstantExpression } from './ast.js';
import { textLiteral, typeOf } from './pushPiece.js';
import type { Piece } from './pushPiece.js';

/** `digits` without a point, `scale` of them behind it. */
const pointed = (digits: string, scale: number): string => {
  const negative = digits.startsWith('-');
  const padded = digits.replace('-', '').padStart(scale + 1, '0');
  const whole = padded.slice(0, padded.length - scale);
  const text = scale === 0 ? whole : `${whole}.${padded.slice(padded.length - scale)}`;
  return negative ? `-${text}` : text;
};

const digitsOnly = /^-?\d{1,38}$/;
const finite = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;

export const nullPiece: Piece = {
  sql: 'NULL',
  type: { kind: 'text' },
  mayFail: false,
  literal: { kind: 'null' },
};

export const boolean = (value: boolean): Piece => ({
  sql: String(value),
  type: { kind: 'boolean' },
  mayFail: false,
});

export const literalOf = ({ type, value, isNull }: ConstantExpression): Piece | undefined => {
  if (isNull) return nullPiece;
  const known = typeOf(type);
  if (!known || value === undefined) return undefined;
  const frame = { type: known, mayFail: false };
  if (known.kind === 'text') return isStorableText(value) ? textLiteral(value) : undefined;
  if (known.kind === 'boolean') return boolean(value === 'true');
  if (known.kind === 'double') {
    if (!finite.test(value)) return undefined;
    return { ...frame, sql: `'${value}'::double precision`, literal: { kind: 'double' } };
  }
  if (!digitsOnly.test(value)) return undefined;
  if (known.kind === 'integer' || known.kind === 'bigint') {
    const literal = { kind: 'integer', value: BigInt(value) } as const;
    return { ...frame, sql: `'${value}'::${known.kind}`, literal };
  }
  if (known.kind !== 'decimal') return undefined;
  const digits = pointed(value, known.scale);
  return {
    ...frame,
    sql: `'${digits}'::numeric(${known.precision},${known.scale})`,
    literal: { kind: 'decimal', digits },
  };
};
