import { randomBytes } from 'node:crypto';
import { ok, query } from '../../support/service.js';
import type { Service } from '../../support/service.js';

export interface Node {
  id: string;
  type: string;
  config: object;
}

export interface Edge {
  source: string;
  target: string;
  targetPort?: string;
}

/** One after the other, each fed by the one before. */
export const inARow = (...nodes: Node[]): Edge[] =>
  nodes.slice(1).map((node, at) => ({ source: nodes[at]?.id ?? '', target: node.id }));

/** A place to make pipelines in, over the service's target database. */
export const workbench = async (service: Service) => {
  const name = `engine ${randomBytes(4).toString('hex')}`;
  const project = await ok(service.call<{ id: string }>('POST', '/api/projects', { name }));

  const connect = async (type: string, config: object): Promise<string> => {
    const body = { name: `${type} ${randomBytes(4).toString('hex')}`, type, config };
    return (await ok(service.call<{ id: string }>('POST', '/api/connections', body))).id;
  };

  const url = new URL(service.target.url);
  const database = await connect('postgres', {
    host: url.hostname,
    port: Number(url.port),
    database: url.pathname.slice(1),
    user: url.username,
    password: url.password,
  });

  return {
    database,
    connect,

    pipeline: async (nodes: Node[], edges: Edge[] = inARow(...nodes)): Promise<string> => {
      const created = await ok(
        service.call<{ id: string }>('POST', '/api/pipelines', {
          name: `${name} ${randomBytes(4).toString('hex')}`,
          projectId: project.id,
          nodes,
          edges: edges.map((edge, at) => ({ id: `e${at}`, ...edge })),
        }),
      );
      return created.id;
    },

    source: (table: string, more: object = {}): Node => ({
      id: 'source',
      type: 'source.table',
      config: { connectionId: database, table, ...more },
    }),

    destination: (table: string, mode: string, more: object = {}): Node => ({
      id: 'destination',
      type: 'destination.table',
      config: { connectionId: database, table, mode, ...more },
    }),
  };
};

export type Workbench = Awaited<ReturnType<typeof workbench>>;

/** A table of orders whose rows are told apart by id, wide enough for many splits. */
export const makeOrders = async (url: string, table: string, rows: number): Promise<void> => {
  await query(
    url,
    `create table ${table} (id bigint primary key, customer text not null, amount numeric(12,2),
       paid boolean, ordered_at timestamptz, note text)`,
  );
  await addOrders(url, table, 1, rows);
};

export const addOrders = async (
  url: string,
  table: string,
  from: number,
  to: number,
): Promise<void> => {
  await query(
    url,
    `insert into ${table}
     select n, 'customer ' || n % 1000, n % 9973 / 100.0, n % 3 = 0,
            timestamptz '2026-01-01' + n * interval '1 minute',
            case n % 4 when 0 then null when 1 then '' else 'note, "quoted" ' || n end
       from generate_series($1::bigint, $2::bigint) n`,
    [from, to],
  );
};

/** How many rows of each table the other one does not have, doubled ones included. */
export const difference = async (
  url: string,
  one: string,
  other: string,
): Promise<{ missing: number; extra: number }> => {
  const [row] = await query<{ missing: string; extra: string }>(
    url,
    `select (select count(*) from (select * from ${one} except all select * from ${other}) a) as missing,
            (select count(*) from (select * from ${other} except all select * from ${one}) b) as extra`,
  );
  return { missing: Number(row?.missing), extra: Number(row?.extra) };
};

export const same = { missing: 0, extra: 0 };
