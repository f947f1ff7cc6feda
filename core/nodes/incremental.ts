import { Type } from '@sinclair/typebox';
import { isDuration } from '../generate/interval.js';
import type { Issue } from '../errors.js';
import { checkName, nameSchema } from '../names.js';

export const incrementalSchema = Type.Object(
  {
    cursorColumn: nameSchema('A column whose values grow, such as updated_at or id'),
    lookback: Type.Optional(
      Type.Union([Type.Number({ minimum: 0 }), Type.String()], {
        description:
          'Reads again what lies this far below the highest value so far: a number for cursors ' +
          'that are numbers, an ISO 8601 duration such as PT10M for dates and times',
        errorMessage: 'Expected a number from 0, or an ISO 8601 duration such as PT10M.',
      }),
    ),
  },
  { description: 'Only rows above the highest cursor value that earlier runs have delivered' },
);

interface Incremental {
  cursorColumn: string;
  lookback?: number | string;
}

export const checkIncremental = (incremental: Incremental | undefined, at: string): Issue[] => {
  if (!incremental) return [];
  const { cursorColumn, lookback } = incremental;
  const issues = checkName(cursorColumn, `${at}/cursorColumn`);
  const forwards =
    typeof lookback !== 'string' || (isDuration(lookback) && !lookback.includes('-'));
  if (forwards) return issues;
  const message = 'Expected a number from 0, or an ISO 8601 duration such as PT10M.';
  return [...issues, { pointer: `${at}/lookback`, code: 'duration', message }];
};
