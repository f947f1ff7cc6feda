/** Whether the first ten signs are a day of the calendar: patterns let 31 February pass. */
export const isCalendarDay = (text: string): boolean => {
  const day = text.slice(0, 10);
  const parsed = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(parsed.getTime()) || !parsed.toISOString().startsWith(day)) return false;
  return !day.startsWith('0000');
};

/** `HH:MM`, with seconds or without. */
export const isTimeOfDay = (text: string): boolean => {
  const [hour = 0, minute = 0, second = 0] = text.split(':').map(Number);
  return hour < 24 && minute < 60 && second < 60;
};

/** `Z`, `+HH`, `+HHMM` or `+HH:MM`; PostgreSQL knows zones up to 15:59 away. */
export const isUtcOffset = (text: string): boolean => {
  if (text === 'Z') return true;
  const [, hours = '', minutes = '0'] = /^[+-](\d{2})(?::?(\d{2}))?$/.exec(text) ?? [];
  return hours !== '' && Number(hours) <= 15 && Number(minutes) < 60;
};
