/** The floor of the API: a bare Koa and pg, the same SQL, no validation, no auth, no audit. */
import Koa from 'koa';
import pg from 'pg';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });

const getProject = `
  select projects.*, json_build_object(
    'folders', (select count(*) from folders f
                 where f.workspace_id = projects.workspace_id and f.project_id = projects.id),
    'pipelines', (select count(*) from pipelines p
                   where p.workspace_id = projects.workspace_id and p.project_id = projects.id
                     and p.deleted_at is null),
    'activePipelines', (select count(*) from pipelines p
                         where p.workspace_id = projects.workspace_id and p.project_id = projects.id
                           and p.deleted_at is null and p.status = 'active'),
    'runs24h', coalesce(recent.runs, 0),
    'failedRuns24h', coalesce(recent.failed, 0)) as summary
    from projects
    left join lateral (
      select count(*) as runs, count(*) filter (where j.status = 'failed') as failed
        from pipelines p
        join jobs j on j.workspace_id = p.workspace_id and j.pipeline_id = p.id
       where p.workspace_id = projects.workspace_id and p.project_id = projects.id
         and j.created_at > now() - interval '24 hours') recent on true
   where projects.workspace_id = $1 and projects.id = $2`;

const insertProject =
  'insert into projects (workspace_id, name, description) values ($1, $2, $3) returning *';

const bodyOf = async (request) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
};

const show = ({ id, name, description, created_at, updated_at, summary }) => ({
  id,
  name,
  description,
  createdAt: created_at,
  updatedAt: updated_at,
  summary,
});

const workspace = (await pool.query('select id from workspaces limit 1')).rows[0].id;
const app = new Koa();
app.use(async (ctx) => {
  if (ctx.method === 'GET') {
    const { rows } = await pool.query(getProject, [workspace, ctx.path.split('/')[3]]);
    ctx.body = show(rows[0]);
    return;
  }
  const { name, description = null } = await bodyOf(ctx.req);
  const client = await pool.connect();
  try {
    await client.query('begin');
    const { rows } = await client.query(insertProject, [workspace, name, description]);
    await client.query('commit');
    ctx.body = show(rows[0]);
  } finally {
    client.release();
  }
});
app.listen(Number(process.env.PORT), '127.0.0.1', () => process.stdout.write('ready\n'));
