import type { Migration } from './index.js';

/** Who there is: organizations, their workspaces, the people in them and their keys. */
export const foundation: Migration = {
  name: '0001_foundation',
  sql: `
create table organizations (
  id uuid primary key default uuidv7(),
  name text not null,
  slug text not null unique,
  created_at timestamptz(3) not null default now()
);

create table workspaces (
  id uuid primary key default uuidv7(),
  organization_id uuid not null references organizations,
  name text not null,
  max_concurrent_runs integer not null check (max_concurrent_runs >= 0),
  max_pipelines integer not null check (max_pipelines >= 0),
  max_connections integer not null check (max_connections >= 0),
  allow_project_cascade boolean not null default false,
  allow_force_delete boolean not null default false,
  created_at timestamptz(3) not null default now(),
  unique (organization_id, id)
);

create table users (
  id uuid primary key default uuidv7(),
  organization_id uuid not null references organizations,
  email text not null unique,
  display_name text not null,
  password_hash text,
  created_at timestamptz(3) not null default now(),
  unique (organization_id, id)
);

create table memberships (
  organization_id uuid not null,
  workspace_id uuid not null,
  user_id uuid not null,
  role text not null check (role in ('owner', 'admin', 'editor', 'operator', 'viewer')),
  created_at timestamptz(3) not null default now(),
  primary key (workspace_id, user_id),
  foreign key (organization_id, workspace_id) references workspaces (organization_id, id) on delete cascade,
  foreign key (organization_id, user_id) references users (organization_id, id) on delete cascade
);

create table api_keys (
  id uuid primary key default uuidv7(),
  workspace_id uuid not null,
  user_id uuid not null,
  name text not null,
  prefix text not null,
  hash text not null unique,
  scopes text[] not null,
  created_at timestamptz(3) not null default now(),
  last_used_at timestamptz(3),
  expires_at timestamptz(3),
  unique (workspace_id, id),
  foreign key (workspace_id, user_id) references memberships (workspace_id, user_id) on delete cascade
);

-- One row: proves that the master key at hand is the one this database was sealed with.
create table instance (
  id boolean primary key default true check (id),
  key_check text not null,
  created_at timestamptz(3) not null default now()
);

create table audit_log (
  id uuid primary key default uuidv7(),
  workspace_id uuid not null references workspaces on delete cascade,
  user_id uuid,
  key_id uuid,
  action text not null,
  status integer not null,
  code text,
  subject_id text,
  request_id text not null,
  address text,
  created_at timestamptz(3) not null default now()
);
create index audit_log_by_workspace on audit_log (workspace_id, id);

create table idempotency_keys (
  workspace_id uuid not null references workspaces on delete cascade,
  user_id uuid not null,
  route text not null,
  key text not null,
  body_hash text not null,
  status integer,
  answer text,
  created_at timestamptz(3) not null default now(),
  primary key (workspace_id, user_id, route, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);

create table workers (
  id text primary key,
  queues text[] not null,
  slots integer not null,
  seen_at timestamptz(3) not null default now()
);
`,
};
