/**
 * A number in whole units of its last decimal place, from its decimal form: the product with a
 * power of ten is not exact (0.29 × 100 is 28.999…). What lies beyond the scale rounds inwards, up
 * for a lower bound and down for an upper one.
 */
export const toUnits = (value: number, scale: number, towards: 'up' | 'down'): number => {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? [];
  const digits = whole + fraction;
  const point = whole.length + Number(exponent) + scale;
  const kept = point > 0 ? digits.slice(0, point).padEnd(point, '0') : '0';
  const exact = !/[1-9]/.test(digits.slice(Math.max(0, point)));
  const units = Number(sign + kept) + 0;
  if (exact) return units;
  if (sign === '') return towards === 'up' ? units + 1 : units;
  return towards === 'down' ? units - 1 : units;
};
