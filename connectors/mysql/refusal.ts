import type { BadRow } from '../connector.js';

type Rule = [errors: readonly number[], code: string, message: string];

const rules: readonly Rule[] = [
  [[1048, 1263, 1364, 1138], 'constraint_violation', 'NULL where a value is required'],
  [[1452, 1216], 'constraint_violation', 'There is no row that it refers to'],
  [[1062, 1586], 'constraint_violation', 'There is a row with this key already'],
  [[3819, 4025], 'constraint_violation', 'A check does not hold'],
  [[1644, 1526], 'constraint_violation', 'The table does not accept it'],
  [[1406, 1162], 'value_out_of_range', 'A text is too long'],
  [[1264, 1690, 1416], 'value_out_of_range', 'A value is out of its range'],
  [[1153, 1301], 'value_out_of_range', 'A value is too large'],
  [[1261, 1262], 'malformed', 'The row has not as many values as there are columns'],
  [[1300], 'malformed', 'A text has bytes that are no characters'],
  [
    [1265, 1292, 1365, 1366, 1367, 1411, 3140, 4038, 4078, 1441, 1411],
    'malformed',
    'A value is not one of its type',
  ],
];

const ruleOf = (error: number): Rule | undefined =>
  rules.find(([errors]) => errors.includes(error));

/** Whether it is the row's fault; anything else would refuse another row just so. */
export const blamesRow = (error: number): boolean => ruleOf(error) !== undefined;

const columnIn = (message: string): string | undefined =>
  /[Cc]olumn (?:`[^`]*`\.`[^`]*`\.)?[`']([^`']{1,64})[`']/.exec(message)?.[1];

export const badRow = (row: number, error: number, said: string): BadRow => {
  const [, code, what] = ruleOf(error) ?? [[], 'malformed', 'The table does not accept it'];
  const column = columnIn(said);
  const place = column === undefined ? '' : ` (column ${column})`;
  return {
    row,
    code,
    message: `${what}${place} [${error}].`,
    ...(column === undefined ? {} : { column }),
  };
};
