import type { Model, QueryBuilder } from 'objection';

export interface PageRequest {
  limit: number;
  /** Id of the last row of the page before. */
  after?: string;
}

export interface Page<Row> {
  rows: Row[];
  /** Id to continue after; null on the last page. */
  next: string | null;
}

/** Newest first by id: uuidv7 grows with time, so a page survives inserts behind it. */
export const keysetPage = async <M extends Model & { id: string }>(
  query: QueryBuilder<M, M[]>,
  { limit, after }: PageRequest,
  table: string,
): Promise<Page<M>> => {
  if (after !== undefined) void query.where(`${table}.id`, '<', after);
  const rows = await query.orderBy(`${table}.id`, 'desc').limit(limit + 1);
  const page = rows.slice(0, limit);
  return { rows: page, next: rows.length > limit ? (page.at(-1)?.id ?? null) : null };
};
