import type { Migration } from './index.js';

/** What happens: jobs, their splits, logs and commands, and the events they leave. */
export const jobs: Migration = {
  name: '0003_jobs',
  sql: `
create table jobs (
  id uuid primary key default uuidv7(),
  workspace_id uuid not null references workspaces on delete cascade,
  type text not null,
  status text not null default 'queued'
    check (status in ('queued', 'running', 'succeeded', 'failed', 'canceled')),
  priority smallint not null default 1 check (priority between 0 and 2),
  trigger text not null,
  pipeline_id uuid,
  pipeline_name text,
  pipeline_version integer,
  environment_id uuid,
  variables text not null default '{}',
  -- The first job of a chain of retries; destinations know the whole chain by it.
  root_job_id uuid not null,
  retry_of uuid,
  requested_by uuid,
  request_id text,
  -- An admitted row that has not ended is a capacity slot.
  admitted_at timestamptz(3),
  start_claimed_at timestamptz(3),
  workflow_started_at timestamptz(3),
  cancel_requested_at timestamptz(3),
  seen_at timestamptz(3) not null default now(),
  created_at timestamptz(3) not null default now(),
  started_at timestamptz(3),
  finished_at timestamptz(3),
  -- Set on a run_undo: the first job of the chain that it takes back.
  undo_of uuid,
  undone_at timestamptz(3),
  plan text,
  metrics text,
  error text,
  result text,
  warnings text not null default '[]',
  log_lines integer not null default 0,
  unique (workspace_id, id),
  foreign key (workspace_id, pipeline_id) references pipelines (workspace_id, id) on delete set null (pipeline_id),
  foreign key (workspace_id, environment_id) references environments (workspace_id, id) on delete set null (environment_id),
  check ((finished_at is null) = (status in ('queued', 'running')))
);
create index jobs_by_pipeline on jobs (workspace_id, pipeline_id, id);
create index jobs_open on jobs (workspace_id, priority desc, id) where status in ('queued', 'running');
create index jobs_by_root on jobs (workspace_id, root_job_id);
create index jobs_by_undo on jobs (workspace_id, undo_of) where undo_of is not null;
-- The dispatcher and retention look across workspaces.
create index jobs_to_start on jobs (admitted_at)
  where status = 'queued' and admitted_at is not null and workflow_started_at is null;
create index jobs_silent on jobs (seen_at)
  where status in ('queued', 'running') and workflow_started_at is not null;
create index jobs_by_end on jobs (finished_at) where finished_at is not null;

create table job_splits (
  workspace_id uuid not null,
  job_id uuid not null,
  stage text not null,
  split integer not null,
  range text not null,
  status text not null default 'pending' check (status in ('pending', 'running', 'succeeded', 'failed')),
  attempt integer not null default 0,
  rows_read bigint not null default 0,
  rows_written bigint not null default 0,
  bytes_read bigint not null default 0,
  bytes_written bigint not null default 0,
  started_at timestamptz(3),
  finished_at timestamptz(3),
  primary key (workspace_id, job_id, stage, split),
  foreign key (workspace_id, job_id) references jobs (workspace_id, id) on delete cascade
);

-- Lines are numbered per job under the job's row lock, so that they become visible in order.
create table job_logs (
  workspace_id uuid not null,
  job_id uuid not null,
  seq integer not null,
  ts timestamptz(3) not null,
  level text not null check (level in ('debug', 'info', 'warn', 'error')),
  node_id text,
  message text not null,
  primary key (workspace_id, job_id, seq),
  foreign key (workspace_id, job_id) references jobs (workspace_id, id) on delete cascade
);
create index job_logs_by_age on job_logs (ts);

create table job_commands (
  workspace_id uuid not null,
  job_id uuid not null,
  command text not null check (command in ('cancel')),
  requested_at timestamptz(3) not null default now(),
  sent_at timestamptz(3),
  acknowledged_at timestamptz(3),
  primary key (workspace_id, job_id, command),
  foreign key (workspace_id, job_id) references jobs (workspace_id, id) on delete cascade
);
create index job_commands_pending on job_commands (requested_at) where acknowledged_at is null;

create table events (
  id uuid primary key default uuidv7(),
  workspace_id uuid not null references workspaces on delete cascade,
  name text not null,
  payload text not null,
  created_at timestamptz(3) not null default now()
);
create index events_by_age on events (created_at);
`,
};
