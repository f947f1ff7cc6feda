import type { ActivityDeps } from '../deps.js';

const sql = 'SELECT json_serialize_sql(?::VARCHAR)';

/** What DuckDB's own parser makes of a text; nothing of the text is run. */
export const serializeSql = async (
  { engine: { duckdb, scratch } }: ActivityDeps,
  text: string,
  signal: AbortSignal,
): Promise<string> => {
  const { path, remove } = await scratch('query');
  try {
    const program = { directory: path, reads: [], statements: [{ sql, values: [text] }] };
    const [answer] = await duckdb.run(program, signal);
    const parsed = answer?.rows[0]?.[0];
    return typeof parsed === 'string' ? parsed : '';
  } finally {
    await remove();
  }
};
