import type { Migration } from './index.js';

/** The engine: stages that can start over, rows that did not fit, how far sources were read. */
export const engine: Migration = {
  name: '0004_engine',
  sql: `
create table job_stages (
  workspace_id uuid not null,
  job_id uuid not null,
  stage text not null,
  -- Counts up whenever the stage starts over; the destination refuses what older ones still try.
  generation integer not null default 0,
  opened_at timestamptz(3),
  -- The snapshot that is held for the generation; null before, and where none is needed.
  snapshot text,
  snapshot_generation integer,
  published_at timestamptz(3),
  primary key (workspace_id, job_id, stage),
  foreign key (workspace_id, job_id) references jobs (workspace_id, id) on delete cascade
);

alter table job_splits
  -- rows_read and rows_written count at the run's ends only: at sources and destinations.
  add column rows_in bigint not null default 0,
  -- Null where the source filtered: nobody knows.
  add column rows_filtered bigint default 0,
  add column rows_out bigint not null default 0,
  add column rows_coalesced bigint not null default 0,
  add column rows_failed bigint not null default 0,
  add column bytes_staged bigint not null default 0,
  -- JSON: the files that the attempt which counts has left.
  add column output text;

-- Splits that were done before read what they wrote.
update job_splits set rows_in = rows_read, rows_out = rows_written;

create table dead_letters (
  -- A hash of job, stage, split and position: a repeated attempt writes the same row.
  id text not null,
  workspace_id uuid not null,
  job_id uuid not null,
  pipeline_id uuid,
  node_id text not null,
  stage text not null,
  split integer not null,
  position bigint not null,
  code text not null,
  message text not null,
  column_name text,
  -- JSON: column → text of the value; null where the row was too large to be held.
  payload text,
  -- Seen once its split is done: until then another attempt may find otherwise.
  visible boolean not null default false,
  created_at timestamptz(3) not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, job_id) references jobs (workspace_id, id) on delete cascade
);
create index dead_letters_by_job on dead_letters (workspace_id, job_id, stage, split);

-- How far a source has been read: committed with the run that read it.
create table cursors (
  workspace_id uuid not null,
  pipeline_id uuid not null,
  node_id text not null,
  cursor_column text not null,
  value text not null,
  job_id uuid not null,
  updated_at timestamptz(3) not null default now(),
  primary key (workspace_id, pipeline_id, node_id),
  foreign key (workspace_id, pipeline_id) references pipelines (workspace_id, id) on delete cascade
);

-- The definition whose expressions a worker has bound; another one has to be bound first.
alter table pipelines add column bound_version integer;

-- What a live call is asked, sealed, and what it answered: both for moments only.
create table live_inputs (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  sealed text not null,
  created_at timestamptz(3) not null default now()
);
create index live_inputs_by_age on live_inputs (created_at);
create table live_results (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  answer text not null,
  created_at timestamptz(3) not null default now()
);
create index live_results_by_age on live_results (created_at);
`,
};
