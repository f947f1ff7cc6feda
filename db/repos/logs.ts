import type { Knex } from 'knex';
import { notFound } from '../../core/errors.js';
import type { WorkspaceScope } from '../../core/scope.js';
import { JobLog } from '../models/tables.js';

export type LogLevel = JobLog['level'];

export interface LogLine {
  /** How long ago it was said; the database makes a time of it. */
  ageMs: number;
  level: LogLevel;
  nodeId: string | null;
  message: string;
}

export interface LogFilter {
  nodeId?: string;
  /** Lines after this number, or at and after this time. */
  after?: number;
  since?: Date;
  limit: number;
}

/** A run that logs more than this is repeating itself; the last line says that it was cut. */
export const maxLinesPerJob = 20_000;

export const makeLogs = (db: Knex) => ({
  /**
   * Numbers are taken under the job's row lock and kept until commit, so a reader that has seen
   * line n has seen every line before it. The same statement tells that the job is alive.
   */
  append: async (
    scope: WorkspaceScope,
    jobId: string,
    lines: readonly LogLine[],
  ): Promise<void> => {
    if (lines.length === 0) return;
    await db.raw(
      `with head as (
         update jobs set log_lines = least(log_lines + :count, :cap), seen_at = now()
          where workspace_id = :workspaceId and id = :jobId
         returning old.log_lines as before
       )
       insert into job_logs (workspace_id, job_id, seq, ts, level, node_id, message)
       select :workspaceId, :jobId, before + line.position,
              now() - line.age * interval '1 millisecond', case when before + line.position = :cap then 'warn' else line.level end,
              line.node_id,
              case when before + line.position = :cap then :cut else line.message end
         from head, unnest(:ages::double precision[], :levels::text[], :nodes::text[], :messages::text[])
           with ordinality as line (age, level, node_id, message, position)
        where before + line.position <= :cap`,
      {
        workspaceId: scope.workspaceId,
        jobId,
        count: lines.length,
        cap: maxLinesPerJob,
        cut: `More lines than ${maxLinesPerJob}: the rest is not kept.`,
        ages: lines.map(({ ageMs }) => ageMs),
        levels: lines.map(({ level }) => level),
        nodes: lines.map(({ nodeId }) => nodeId),
        messages: lines.map(({ message }) => message),
      },
    );
  },

  /** The lines, and whether the run had ended when they were read (then no more will come). */
  read: async (
    scope: WorkspaceScope,
    jobId: string,
    filter: LogFilter,
  ): Promise<{ lines: JobLog[]; ended: boolean }> => {
    const { rows } = await db.raw<{ rows: { ended: boolean }[] }>(
      'select finished_at is not null as ended from jobs where workspace_id = ? and id = ?',
      [scope.workspaceId, jobId],
    );
    if (!rows[0]) throw notFound();
    const query = JobLog.query(db).where({ workspace_id: scope.workspaceId, job_id: jobId });
    if (filter.nodeId !== undefined) void query.where('node_id', filter.nodeId);
    if (filter.after !== undefined) void query.where('seq', '>', filter.after);
    if (filter.since !== undefined) void query.where('ts', '>=', filter.since);
    return { lines: await query.orderBy('seq').limit(filter.limit), ended: rows[0].ended };
  },

  /** A sign of life without a line. */
  seen: async (scope: WorkspaceScope, jobId: string): Promise<void> => {
    await db.raw('update jobs set seen_at = now() where workspace_id = ? and id = ?', [
      scope.workspaceId,
      jobId,
    ]);
  },
});
