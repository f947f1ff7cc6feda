/**
 * One class per table that is read row by row; a property is a column. Columns are `declare`d:
 * a class field would become an own `undefined` key and be written.
 */
import { Model } from 'objection';

export class ApiKey extends Model {
  static override readonly tableName = 'api_keys';
  declare id: string;
  declare workspace_id: string;
  declare user_id: string;
  declare name: string;
  declare prefix: string;
  declare hash: string;
  declare scopes: string[];
  declare created_at: Date;
  declare last_used_at: Date | null;
  declare expires_at: Date | null;
}

export class Project extends Model {
  static override readonly tableName = 'projects';
  declare id: string;
  declare workspace_id: string;
  declare name: string;
  declare description: string | null;
  declare created_at: Date;
  declare updated_at: Date;
}

export class Connection extends Model {
  static override readonly tableName = 'connections';
  declare id: string;
  declare workspace_id: string;
  declare name: string;
  declare type: string;
  declare config: string;
  declare credential_id: string | null;
  declare created_at: Date;
  declare updated_at: Date;
}

export class Credential extends Model {
  static override readonly tableName = 'credentials';
  declare id: string;
  declare workspace_id: string;
  declare name: string;
  declare type: string;
  declare implicit: boolean;
  declare sealed: string;
  declare fields: string[];
  declare created_at: Date;
  declare updated_at: Date;
  declare last_rotated_at: Date;
}

export class Pipeline extends Model {
  static override readonly tableName = 'pipelines';
  declare id: string;
  declare workspace_id: string;
  declare project_id: string | null;
  declare folder_id: string | null;
  declare name: string;
  declare status: 'draft' | 'active' | 'archived';
  declare version: number;
  declare bound_version: number | null;
  declare deleted_at: Date | null;
  declare created_at: Date;
  declare updated_at: Date;
}

export class Job extends Model {
  static override readonly tableName = 'jobs';
  declare id: string;
  declare workspace_id: string;
  declare type: 'pipeline_run' | 'run_undo';
  declare status: 'queued' | 'running' | 'succeeded' | 'failed' | 'canceled';
  declare priority: number;
  declare trigger: 'manual';
  declare pipeline_id: string | null;
  declare pipeline_name: string | null;
  declare pipeline_version: number | null;
  declare environment_id: string | null;
  declare variables: string;
  declare root_job_id: string;
  declare retry_of: string | null;
  declare requested_by: string | null;
  declare request_id: string | null;
  declare admitted_at: Date | null;
  declare start_claimed_at: Date | null;
  declare workflow_started_at: Date | null;
  declare cancel_requested_at: Date | null;
  declare seen_at: Date;
  declare created_at: Date;
  declare started_at: Date | null;
  declare finished_at: Date | null;
  declare undo_of: string | null;
  declare undone_at: Date | null;
  declare plan: string | null;
  declare metrics: string | null;
  declare error: string | null;
  declare result: string | null;
  declare warnings: string;
  declare log_lines: number;
}

export class JobStage extends Model {
  static override readonly tableName = 'job_stages';
  static override readonly idColumn = ['workspace_id', 'job_id', 'stage'];
  declare workspace_id: string;
  declare job_id: string;
  declare stage: string;
  declare generation: number;
  declare opened_at: Date | null;
  declare snapshot: string | null;
  declare snapshot_generation: number | null;
  declare published_at: Date | null;
}

export class JobSplit extends Model {
  static override readonly tableName = 'job_splits';
  static override readonly idColumn = ['workspace_id', 'job_id', 'stage', 'split'];
  declare workspace_id: string;
  declare job_id: string;
  declare stage: string;
  declare split: number;
  declare range: string;
  declare status: 'pending' | 'running' | 'succeeded' | 'failed';
  declare attempt: number;
  declare rows_read: number;
  declare bytes_read: number;
  declare rows_in: number;
  declare rows_filtered: number | null;
  declare rows_out: number;
  declare rows_written: number;
  declare bytes_written: number;
  declare rows_coalesced: number;
  declare rows_failed: number;
  declare bytes_staged: number;
  declare output: string | null;
  declare started_at: Date | null;
  declare finished_at: Date | null;
}

export class JobLog extends Model {
  static override readonly tableName = 'job_logs';
  static override readonly idColumn = ['workspace_id', 'job_id', 'seq'];
  declare workspace_id: string;
  declare job_id: string;
  declare seq: number;
  declare ts: Date;
  declare level: 'debug' | 'info' | 'warn' | 'error';
  declare node_id: string | null;
  declare message: string;
}
