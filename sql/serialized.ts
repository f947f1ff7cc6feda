import type { QueryNode } from './ast.js';
import { expectOnly, fieldsOf, listIn, parseWithoutNumbers, textIn, Unfamiliar } from './fields.js';
import { readQuery } from './readQuery.js';

export type Parsed =
  | { ok: true; statement: QueryNode }
  | {
      ok: false;
      message: string;
      /** In characters of the parsed text. */
      character?: number;
      /** In bytes of its UTF-8 form. */
      byte?: number;
    };

const onlySelect = 'only a single SELECT can be used here';

const problem = (answer: Record<string, unknown>): Parsed => {
  if (answer['error_type'] === 'not implemented') return { ok: false, message: onlySelect };
  const message = textIn(answer, 'error_message') || 'it cannot be parsed';
  const position = answer['position'];
  return {
    ok: false,
    message,
    ...(typeof position === 'string' ? { character: Number(position) } : {}),
  };
};

/** What `select json_serialize_sql(?::varchar)` answered for one text. */
export const readSerialized = (json: string): Parsed => {
  try {
    const answer = fieldsOf(parseWithoutNumbers(json), 'answer');
    if (answer['error'] !== false) return problem(answer);
    const statements = listIn(answer, 'statements');
    if (statements.length !== 1) return { ok: false, message: onlySelect };
    const statement = fieldsOf(statements[0], 'statement');
    expectOnly(statement, 'statement', ['node', 'named_param_map']);
    return { ok: true, statement: readQuery(statement['node']) };
  } catch (error) {
    if (error instanceof Unfamiliar) {
      return {
        ok: false,
        message: `${error.what} cannot be used here`,
        ...(error.at === undefined ? {} : { byte: error.at }),
      };
    }
    if (error instanceof SyntaxError) return { ok: false, message: 'it cannot be parsed' };
    throw error;
  }
};
