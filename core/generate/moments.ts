const two: readonly string[] = Array.from({ length: 100 }, (_, n) => String(n).padStart(2, '0'));
const three: readonly string[] = Array.from({ length: 1000 }, (_, n) => String(n).padStart(3, '0'));

export const dayMs = 86_400_000;
const daysTo1970From0000March = 719_468;
const daysOf400Years = 146_097;

/**
 * A day since 1970 as ISO text, for the years 0000 to 9999. Counted by hand (Howard Hinnant's
 * civil_from_days) since a Date object per cell costs more than the rest of the row.
 */
export const dayText = (day: number): string => {
  const shifted = day + daysTo1970From0000March;
  const era = Math.floor(shifted / daysOf400Years);
  const dayOfEra = shifted - era * daysOf400Years;
  const leaps =
    Math.floor(dayOfEra / 1_460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096);
  const yearOfEra = Math.floor((dayOfEra - leaps) / 365);
  const leapDays = Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100);
  const dayOfYear = dayOfEra - (365 * yearOfEra + leapDays);
  // Years begin in March, so that the leap day is their last one.
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const dayOfMonth = dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1;
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  const century = Math.floor(year / 100);
  return (
    (two[century] as string) +
    (two[year - century * 100] as string) +
    '-' +
    (two[month] as string) +
    '-' +
    (two[dayOfMonth] as string)
  );
};

/** Milliseconds since 1970 as ISO text in UTC, as `toISOString` writes it. */
export const momentText = (ms: number): string => {
  const day = Math.floor(ms / dayMs);
  const rest = ms - day * dayMs;
  const seconds = Math.floor(rest / 1000);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  return (
    dayText(day) +
    'T' +
    (two[hours] as string) +
    ':' +
    (two[minutes - hours * 60] as string) +
    ':' +
    (two[seconds - minutes * 60] as string) +
    '.' +
    (three[rest - seconds * 1000] as string) +
    'Z'
  );
};
