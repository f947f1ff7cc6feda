import type { Migration } from './index.js';

/** What people define: projects, folders, environments, variables, connections, pipelines. */
export const resources: Migration = {
  name: '0002_resources',
  sql: `
create table projects (
  id uuid primary key default uuidv7(),
  workspace_id uuid not null references workspaces on delete cascade,
  name text not null,
  description text,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  unique (workspace_id, id)
);

create table folders (
  id uuid primary key default uuidv7(),
  workspace_id uuid not null,
  project_id uuid not null,
  parent_id uuid,
  name text not null,
  path text not null,
  created_at timestamptz(3) not null default now(),
  unique (workspace_id, id),
  unique (workspace_id, project_id, id),
  unique nulls not distinct (workspace_id, project_id, parent_id, name),
  foreign key (workspace_id, project_id) references projects (workspace_id, id) on delete cascade,
  foreign key (workspace_id, project_id, parent_id) references folders (workspace_id, project_id, id)
);

create table environments (
  id uuid primary key default uuidv7(),
  workspace_id uuid not null references workspaces on delete cascade,
  name text not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  unique (workspace_id, id),
  unique (workspace_id, name)
);

-- Global variables have no environment.
create table variables (
  id uuid primary key default uuidv7(),
  workspace_id uuid not null references workspaces on delete cascade,
  environment_id uuid,
  name text not null check (name ~ '^[A-Za-z0-9_]+$'),
  value text not null,
  secret boolean not null default false,
  description text,
  version integer not null default 1,
  updated_by uuid,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  unique nulls not distinct (workspace_id, environment_id, name),
  foreign key (workspace_id, environment_id) references environments (workspace_id, id) on delete cascade
);

-- What is secret about a connection: one sealed JSON object. Implicit ones were typed into config.
create table credentials (
  id uuid primary key default uuidv7(),
  workspace_id uuid not null references workspaces on delete cascade,
  name text not null,
  type text not null,
  implicit boolean not null,
  sealed text not null,
  fields text[] not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  last_rotated_at timestamptz(3) not null default now(),
  unique (workspace_id, id)
);
create unique index credentials_by_name on credentials (workspace_id, name) where not implicit;

create table connections (
  id uuid primary key default uuidv7(),
  workspace_id uuid not null references workspaces on delete cascade,
  name text not null,
  type text not null,
  config text not null,
  credential_id uuid,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  unique (workspace_id, id),
  unique (workspace_id, name),
  foreign key (workspace_id, credential_id) references credentials (workspace_id, id)
);

-- A pipeline without a project is in the trash: its project was deleted with cascade.
create table pipelines (
  id uuid primary key default uuidv7(),
  workspace_id uuid not null references workspaces on delete cascade,
  project_id uuid,
  folder_id uuid,
  name text not null,
  status text not null default 'draft' check (status in ('draft', 'active', 'archived')),
  version integer not null default 1,
  deleted_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  unique (workspace_id, id),
  check (project_id is not null or deleted_at is not null),
  foreign key (workspace_id, project_id) references projects (workspace_id, id),
  foreign key (workspace_id, project_id, folder_id) references folders (workspace_id, project_id, id)
);
create index pipelines_by_project on pipelines (workspace_id, project_id, id);

-- Definitions are immutable: a run pins one, an edit adds one. Graphs survive bytewise as text.
create table pipeline_versions (
  workspace_id uuid not null,
  pipeline_id uuid not null,
  version integer not null,
  nodes text not null,
  edges text not null,
  created_by uuid,
  created_at timestamptz(3) not null default now(),
  primary key (workspace_id, pipeline_id, version),
  foreign key (workspace_id, pipeline_id) references pipelines (workspace_id, id) on delete cascade
);

-- Which connections the current definition of a pipeline names.
create table pipeline_connections (
  workspace_id uuid not null,
  pipeline_id uuid not null,
  connection_id uuid not null,
  primary key (workspace_id, pipeline_id, connection_id),
  foreign key (workspace_id, pipeline_id) references pipelines (workspace_id, id) on delete cascade,
  foreign key (workspace_id, connection_id) references connections (workspace_id, id) on delete cascade
);
create index pipeline_connections_by_connection on pipeline_connections (workspace_id, connection_id);
`,
};
