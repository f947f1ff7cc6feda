import type { EngineError } from './wire.js';

/** With `errors_as_json` the text of an error is an object, sometimes with a word in front. */
const fieldsOf = (text: string): Record<string, unknown> | undefined => {
  const start = text.indexOf('{"exception_type"');
  if (start < 0) return undefined;
  try {
    return JSON.parse(text.slice(start)) as Record<string, unknown>;
  } catch {
    return undefined;
  }
};

/** Errors before that setting holds, and some out of the driver, are `Type Error: text`. */
const worded = /^([A-Z][A-Za-z -]*?) Error: ([\s\S]*)$/;

const wordsOf = (text: string): Pick<EngineError, 'type' | 'message'> => {
  const [, type = 'unknown', message = text] = worded.exec(text) ?? [];
  return { type, message };
};

export const engineErrorOf = (
  error: unknown,
  statement: number,
  preparing: boolean,
): EngineError => {
  const text = error instanceof Error ? error.message : String(error);
  const fields = fieldsOf(text);
  if (!fields) return { statement, preparing, ...wordsOf(text) };
  const position = fields['position'];
  return {
    statement,
    preparing,
    type: String(fields['exception_type']),
    message: String(fields['exception_message']),
    ...(typeof position === 'string' && /^\d{1,15}$/.test(position)
      ? { position: Number(position) }
      : {}),
  };
};
