import { Type } from '@sinclair/typebox';
import { isCalendarDay, isTimeOfDay, isUtcOffset } from '../calendar.js';
import type { Issue } from '../errors.js';

/** A place in every partition of a topic: an offset, or the first message from a moment on. */
export type TopicBound = number | string;

export const topicBoundSchema = (description: string) =>
  Type.Union(
    [
      Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
      Type.String({ maxLength: 64 }),
    ],
    {
      description: `${description}: an offset in each partition, or a time such as 2026-11-21T03:00:00Z`,
      errorMessage: 'Expected an offset from 0, or a time such as 2026-11-21T03:00:00Z.',
    },
  );

const moment =
  /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2})?)(?:\.\d{1,9})?(Z|[+-]\d{2}:?\d{2})$/;

const isMoment = (text: string): boolean => {
  const [, day = '', time = '', offset = ''] = moment.exec(text) ?? [];
  return isCalendarDay(day) && isTimeOfDay(time) && isUtcOffset(offset);
};

export const checkTopicBound = (bound: TopicBound | undefined, pointer: string): Issue[] => {
  if (typeof bound !== 'string' || isMoment(bound)) return [];
  const message = 'Expected an offset from 0, or a time such as 2026-11-21T03:00:00Z.';
  return [{ pointer, code: 'bound', message }];
};
