import { stageInputs } from '../core/plan/stage.js';
import type { Stage, Step } from '../core/plan/stage.js';
import type {
  Bounds,
  BulkFormat,
  CallContext,
  Column,
  Consistency,
  Delivery,
  Prepared,
  Pushed,
  SourceFacts,
  SourceRequest,
} from '../connectors/connector.js';
import { blaming } from './blame.js';
import { chooseConsistency } from './consistency.js';
import type { WantedConsistency } from './consistency.js';
import type { DuckDb } from './duckdb/program.js';
import { isRelationSource, requestOf } from './ends.js';
import type { OpenEnds, OpenSource } from './ends.js';
import type { DuckPath, StageWay } from './plan.js';
import { pushInto } from './push.js';
import { compileSteps } from './transform/compile.js';
import type { RelationColumn } from './transform/relation.js';

export interface StageToBind {
  stage: Stage;
  ends: OpenEnds;
  /** What earlier stages leave, by stage. */
  datasets: ReadonlyMap<string, readonly RelationColumn[]>;
  bounds: Bounds | undefined;
}

export interface BindSettings {
  duckdb: DuckDb;
  /** What "now" means in expressions. */
  now: string;
  /** Where DuckDB may keep what it needs for a moment. */
  directory: string;
}

export interface BoundStage {
  inputs: Inputs;
  /** Of a flow's source only. */
  facts: SourceFacts | undefined;
  pushed: Pushed | undefined;
  /** Nothing is left to do between input and output. */
  straight: boolean;
  path: DuckPath;
  columns: readonly RelationColumn[];
}

type Inputs = Record<string, readonly RelationColumn[]>;

/** A system sends text, until an expression names the column; files may know better. */
const heldBy = async (
  { source }: OpenSource,
  request: SourceRequest,
  columns: readonly Column[],
  ctx: CallContext,
): Promise<RelationColumn[]> => {
  const held = isRelationSource(source) ? await source.held(request, ctx) : 'text';
  return columns.map((column) => ({ ...column, held }));
};

interface ReadFacts {
  facts: SourceFacts;
  inputs: Inputs;
  pushed?: Pushed;
  /** What is left to do after the source has done its part. */
  rest: readonly Step[];
}

/** What a flow reads of its source, and what the source can do of its steps. */
const readFacts = async (
  end: OpenSource,
  { stage, bounds }: StageToBind,
  settings: BindSettings,
  ctx: CallContext,
): Promise<ReadFacts> => {
  const { nodeId, source } = end;
  const request = requestOf(end, { bounds });
  const facts = await source.facts(request, ctx);
  const inputs = { [nodeId]: await heldBy(end, request, facts.columns, ctx) };
  if (facts.dialect === undefined || stage.steps.length === 0) {
    return { facts, inputs, rest: stage.steps };
  }
  const { duckdb, directory } = settings;
  const push = await pushInto(duckdb, stage.steps, facts.columns, directory, ctx.signal);
  if (!push) return { facts, inputs, rest: stage.steps };
  const { pushed, rest } = push;
  // Only the source can say what its own expressions come to.
  const { columns } = await source.facts({ ...request, pushed }, ctx);
  const after = await heldBy(end, request, columns, ctx);
  // What is left reads from the last step that the source does itself.
  const last = stage.steps[stage.steps.length - rest.length - 1]?.nodeId ?? nodeId;
  return { facts: { ...facts, columns }, inputs: { [last]: after }, pushed, rest };
};

/** What reads datasets, and sources in place, does all that is to be done itself. */
const inputsFrom = async (
  { stage, ends: { sources }, datasets }: StageToBind,
  ctx: CallContext,
): Promise<Inputs> => {
  const columnsOf = async (end: OpenSource): Promise<RelationColumn[]> => {
    const request = requestOf(end, {});
    const { columns } = await end.source.facts(request, ctx);
    return heldBy(end, request, columns, ctx);
  };
  const inputs = stageInputs(stage).flatMap((input): [string, readonly RelationColumn[]][] =>
    input.kind === 'dataset' ? [[input.nodeId, datasets.get(input.dataset) ?? []]] : [],
  );
  for (const end of sources) {
    inputs.push([end.nodeId, await blaming(end.nodeId, () => columnsOf(end))]);
  }
  return Object.fromEntries(inputs);
};

/** Has the source take over what it can, and DuckDB bind the expressions that are left. */
export const bindStage = async (
  work: StageToBind,
  settings: BindSettings,
  ctx: CallContext,
): Promise<BoundStage> => {
  const { stage, ends } = work;
  const [from] = stage.kind === 'flow' ? ends.sources : [];
  const read = from && (await blaming(from.nodeId, () => readFacts(from, work, settings, ctx)));
  const inputs = read?.inputs ?? (await inputsFrom(work, ctx));
  const rest = read?.rest ?? stage.steps;
  const { columns, views, ...query } = await compileSteps(
    settings.duckdb,
    {
      steps: rest,
      inputs: new Map(Object.entries(inputs)),
      startedAt: new Date(settings.now),
      directory: settings.directory,
    },
    ctx.signal,
  );
  return {
    path: { kind: 'duckdb', ...query, views: Object.fromEntries(views) },
    columns,
    inputs,
    facts: read?.facts,
    pushed: read?.pushed,
    straight: rest.length === 0,
  };
};

export interface StageToPrepare extends StageToBind {
  delivery: Delivery;
  maxErrors: number;
}

export interface PrepareSettings extends BindSettings {
  splitBytes: number;
}

/** The format that needs nobody in between, if both sides have one. */
const straightFormat = (
  { sources: [from] }: OpenEnds,
  { straight }: BoundStage,
  { formats }: Pick<Prepared, 'formats'>,
): BulkFormat | undefined =>
  straight && from ? formats.find((format) => from.source.formats.includes(format)) : undefined;

const consistencyOf = (
  { sources: [from] }: OpenEnds,
  { facts }: BoundStage,
  splitBytes: number,
): Consistency => {
  // A query reads all at once.
  if (!from || !facts) return 'single';
  const { consistency = 'auto' } = from.config as { consistency?: WantedConsistency };
  return chooseConsistency({ facts, wanted: consistency, splitBytes, nodeId: from.nodeId });
};

const noDestination: Prepared = { formats: [], publishes: false };

/**
 * Finds the fastest way through a stage and gets its destination ready: whatever can be refused is
 * refused here, before a row has moved.
 */
export const prepareStage = async (
  work: StageToPrepare,
  settings: PrepareSettings,
  ctx: CallContext,
): Promise<StageWay> => {
  const { ends, delivery, bounds, maxErrors } = work;
  const bound = await bindStage(work, settings, ctx);
  const { inputs, facts, pushed, path, columns } = bound;
  const to = ends.destination;
  const prepared = to
    ? await blaming(to.nodeId, () => to.destination.prepare(to.config, columns, delivery, ctx))
    : noDestination;
  const format = straightFormat(ends, bound, prepared);
  return {
    path: format === undefined ? path : { kind: 'copy', format },
    consistency: consistencyOf(ends, bound, settings.splitBytes),
    ...(facts?.bytes === undefined ? {} : { bytes: facts.bytes }),
    ...(bounds === undefined ? {} : { bounds }),
    ...(pushed === undefined ? {} : { pushed }),
    inputs,
    columns,
    publishes: prepared.publishes,
    maxErrors,
  };
};
