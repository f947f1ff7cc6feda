/** ISO 8601: every field may be negative, only seconds may have a fraction. */
const form =
  /^P(?=.)(?:(-?\d{1,9})Y)?(?:(-?\d{1,10})M)?(?:(-?\d{1,9})W)?(?:(-?\d{1,10})D)?(?:T(?=.)(?:(-?\d{1,10})H)?(?:(-?\d{1,10})M)?(?:(-?\d{1,10})(?:\.(\d{1,6}))?S)?)?$/;

const most32 = 2_147_483_647;
const microsecondsOfSecond = 1_000_000n;

const microseconds = (
  hours: string,
  minutes: string,
  seconds: string,
  fraction: string,
): bigint => {
  const whole = BigInt(hours) * 3_600n + BigInt(minutes) * 60n + BigInt(seconds);
  const rest = BigInt(fraction.padEnd(6, '0'));
  return whole * microsecondsOfSecond + (seconds.startsWith('-') ? -rest : rest);
};

const secondsText = (total: bigint): string => {
  const size = total < 0n ? -total : total;
  const fraction = String(size % microsecondsOfSecond).padStart(6, '0');
  return `${total < 0n ? '-' : ''}${size / microsecondsOfSecond}.${fraction}`;
};

interface Span {
  months: number;
  days: number;
  microseconds: bigint;
}

/** The three numbers that an interval is, each as it is: a day is not always 24 hours. */
const parse = (text: string): Span | undefined => {
  const fields = form.exec(text);
  if (!fields) return undefined;
  const [, years = '0', months = '0', weeks = '0', days = '0', ...time] = fields;
  const [hours = '0', minutes = '0', seconds = '0', fraction = '0'] = time;
  const span = {
    months: Number(years) * 12 + Number(months) + 0,
    days: Number(weeks) * 7 + Number(days) + 0,
    microseconds: microseconds(hours, minutes, seconds, fraction),
  };
  const fits =
    Math.abs(span.months) <= most32 &&
    Math.abs(span.days) <= most32 &&
    Number.isSafeInteger(Number(span.microseconds));
  return fits ? span : undefined;
};

export const isDuration = (text: string): boolean => parse(text) !== undefined;

/** An ISO 8601 duration in words that both PostgreSQL and DuckDB read, which ISO's own are not. */
export const intervalText = (duration: string): string | undefined => {
  const span = parse(duration);
  if (!span) return undefined;
  return `${span.months} months ${span.days} days ${secondsText(span.microseconds)} seconds`;
};

const millisecondsOfDay = 86_400_000;

/** At least as long as the duration, whatever months it spans. */
export const mostMilliseconds = (duration: string): number | undefined => {
  const span = parse(duration);
  if (!span) return undefined;
  const { months, days, microseconds: rest } = span;
  return months * 31 * millisecondsOfDay + days * millisecondsOfDay + Number(rest) / 1000;
};
