import type { BadRow } from '../connector.js';

/** What the server said about a row, without any value in it. */
export interface Refusal {
  state: string;
  column: string | null;
  constraint: string | null;
}

type Rule = [state: RegExp, code: string, message: string];

const rules: readonly Rule[] = [
  [/^23502$/, 'constraint_violation', 'NULL where a value is required'],
  [/^23503$/, 'constraint_violation', 'There is no row that it refers to'],
  [/^23505$/, 'constraint_violation', 'There is a row with this key already'],
  [/^23P01$/, 'constraint_violation', 'It excludes a row that is there'],
  [/^23514$|^44000$/, 'constraint_violation', 'A check does not hold'],
  [/^23|^P0001$/, 'constraint_violation', 'The table does not accept it'],
  [/^22001$/, 'value_out_of_range', 'A text is too long'],
  [/^22003$|^22008$|^22015$/, 'value_out_of_range', 'A value is out of its range'],
  // Several rows at once; none of them alone.
  [/^21000$/, 'constraint_violation', 'The key comes more than once'],
  [/^54/, 'value_out_of_range', 'A value is too large'],
  [/^22021$|^22P05$/, 'malformed', 'A text has a character that cannot be stored'],
  [/^22P04$/, 'malformed', 'The row has not as many values as there are columns'],
  [/^22/, 'malformed', 'A value is not one of its type'],
];

const ruleOf = (state: string): Rule | undefined => rules.find(([form]) => form.test(state));

/** Whether it is the row's fault; anything else would refuse another row just so. */
export const blamesRow = (state: string): boolean => ruleOf(state) !== undefined;

export const badRow = (row: number, { state, column, constraint }: Refusal): BadRow => {
  const [, code, what] = ruleOf(state) ?? ['', 'malformed', 'The table does not accept it'];
  const place = [
    column ? `column ${column}` : '',
    constraint ? `constraint ${constraint}` : '',
  ].filter((part) => part !== '');
  const message = `${what}${place.length > 0 ? ` (${place.join(', ')})` : ''} [${state}].`;
  return { row, code, message, ...(column ? { column } : {}) };
};
