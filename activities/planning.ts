import { RunFailure } from '../core/failures.js';
import { parseGraph } from '../core/graph/index.js';
import type { Graph } from '../core/graph/index.js';
import type { DestinationFilesConfig } from '../core/nodes/destinationFiles.js';
import type { DestinationTableConfig } from '../core/nodes/destinationTable.js';
import { lookedBack } from '../core/lookback.js';
import { planGraph } from '../core/plan/index.js';
import { readsDataset } from '../core/plan/stage.js';
import type { Stage } from '../core/plan/stage.js';
import type { WorkspaceScope } from '../core/scope.js';
import type { Bounds, CallContext } from '../connectors/connector.js';
import type { Job } from '../db/models/tables.js';
import type { Cursor } from '../db/repos/cursors.js';
import type { OpenSource } from '../engine/ends.js';
import type { PlannedStage } from '../engine/plan.js';
import { prepareStage } from '../engine/prepare.js';
import { blaming } from '../engine/blame.js';
import { datasetColumns } from '../engine/transform/parquet.js';
import type { RelationColumn } from '../engine/transform/relation.js';
import type { ActivityDeps } from './deps.js';
import { withEnds } from './ends.js';
import type { RunPlan } from './runPlan.js';

/** The definition the run pinned. */
const pinnedGraph = async ({ repos }: ActivityDeps, job: Job): Promise<Graph> => {
  const scope = { workspaceId: job.workspace_id };
  const stored =
    job.pipeline_id !== null && job.pipeline_version !== null
      ? await repos.pipelines.version(scope, job.pipeline_id, job.pipeline_version)
      : undefined;
  if (stored) return parseGraph(stored);
  throw new RunFailure({
    code: 'config_invalid',
    class: 'config',
    message: 'The pipeline was deleted before the run could begin.',
  });
};

/** Rows that fail in a dataset are missing in every destination that it leads to. */
const maxErrorsOf = (stage: Stage, stages: readonly Stage[]): number => {
  if (stage.output.kind === 'destination') {
    const config = stage.output.end.config as DestinationTableConfig | DestinationFilesConfig;
    return config.maxErrors ?? 0;
  }
  const readers = stages.filter((other) => readsDataset(other, stage.id));
  return Math.min(...readers.map((reader) => maxErrorsOf(reader, stages)));
};

interface IncrementalConfig {
  incremental?: { cursorColumn: string; lookback?: number | string };
}

const cannotLookBack = (nodeId: string, column: string): RunFailure =>
  new RunFailure({
    code: 'config_invalid',
    class: 'config',
    nodeId,
    message: `lookback is a number for cursors that are numbers and a duration such as PT10M for dates and times; ${column} is neither, or is not of that kind.`,
  });

interface Incremental {
  bounds: Bounds;
  /** How far the source will have been read. */
  cursor: Cursor | undefined;
}

/** From where the last successful run stopped to where the source is now. */
const incrementalOf = async (
  { repos }: ActivityDeps,
  job: Job,
  from: OpenSource | undefined,
  ctx: CallContext,
): Promise<Incremental | undefined> => {
  if (!from || job.pipeline_id === null) return undefined;
  const { nodeId, config, source } = from;
  const { incremental } = config as IncrementalConfig;
  if (!incremental || !source.highest) return undefined;
  const { cursorColumn: column, lookback } = incremental;
  const scope = { workspaceId: job.workspace_id };
  const last = await repos.cursors.get(scope, job.pipeline_id, nodeId, column);
  const upTo = await blaming(nodeId, async () => source.highest?.({ config }, column, ctx));
  const above =
    last === undefined || lookback === undefined
      ? last
      : await startOf(from, column, last, lookback, ctx);
  const begin = above === undefined ? 'the beginning' : `${column} above ${above}`;
  ctx.log.info(`${nodeId}: reads from ${begin}${upTo ? ` up to ${upTo}` : ''}.`);
  return {
    bounds: { column, upTo: upTo ?? null, ...(above === undefined ? {} : { above }) },
    cursor: upTo ? { nodeId, column, value: upTo } : undefined,
  };
};

/** A stretch below the last value, for rows that were committed late. */
const startOf = async (
  { nodeId, config, source }: OpenSource,
  column: string,
  last: string,
  lookback: number | string,
  ctx: CallContext,
): Promise<string> => {
  const { columns } = await blaming(nodeId, () => source.facts({ config }, ctx));
  const type = columns.find(({ name }) => name === column)?.type;
  const above = type && lookedBack(last, type, lookback);
  if (above === undefined) throw cannotLookBack(nodeId, column);
  return above;
};

/** Plans the pinned definition, binds it, and gets its destinations ready. */
export const planRun = async (deps: ActivityDeps, job: Job, ctx: CallContext): Promise<RunPlan> => {
  const scope: WorkspaceScope = { workspaceId: job.workspace_id };
  const { stages } = planGraph(await pinnedGraph(deps, job));
  const now = new Date().toISOString();
  const { duckdb, scratch } = deps.engine;
  const { path: directory, remove } = await scratch('plan');
  const settings = { duckdb, directory, splitBytes: deps.settings.splitBytes, now };
  const datasets = new Map<string, readonly RelationColumn[]>();
  const planned: PlannedStage[] = [];
  const cursors: Cursor[] = [];
  try {
    for (const stage of stages) {
      const delivery = { rootJobId: job.root_job_id, stage: stage.id, generation: 0 };
      const both = { sources: true, destination: true };
      const way = await withEnds(deps, scope, stage, both, async (ends) => {
        const incremental = await incrementalOf(deps, job, ends.sources[0], ctx);
        if (incremental?.cursor) cursors.push(incremental.cursor);
        const maxErrors = maxErrorsOf(stage, stages);
        const work = { stage, ends, datasets, delivery, bounds: incremental?.bounds, maxErrors };
        return prepareStage(work, settings, ctx);
      });
      if (stage.output.kind === 'dataset') datasets.set(stage.id, datasetColumns(way.columns));
      planned.push({ ...stage, way });
    }
  } finally {
    await remove();
  }
  return { stages: planned, cursors, now };
};
