import { makeClient } from './client.js';
import type { Answered, Client } from './client.js';
import { startRealTables } from './realTables.js';

/** An id that nobody has. */
export const nobody = '0197f5f6-0000-7000-8000-000000000000';

/** A small graph that could run. */
export const graph = (connectionId: string) => ({
  nodes: [
    {
      id: 'a',
      type: 'source.generate',
      config: { rows: 1, columns: [{ name: 'n', generator: 'sequence' }] },
      position: { x: 1, y: 2 },
    },
    {
      id: 'b',
      type: 'destination.table',
      config: { connectionId, table: 't', mode: 'append' },
    },
  ],
  edges: [{ id: 'e', source: 'a', target: 'b' }],
});

/** What a refusal points at. */
export const pointers = ({ body }: Pick<Answered, 'body'>): string[] =>
  (body['errors'] as { pointer: string }[]).map(({ pointer }) => pointer);

/** The real tables, a client with the owner's key, and makers that create what a thing needs. */
export const startResources = async (options: { live?: boolean } = {}) => {
  const api = await startRealTables(options);
  const call: Client = makeClient(api.url, api.token);
  let number = 0;
  const fresh = (what: string): string => `${what} ${(number += 1)}`;

  const makeProject = async (): Promise<string> =>
    (await call('POST', '/api/projects', { name: fresh('project') })).body.id;

  const makeConnection = async (): Promise<string> =>
    (
      await call('POST', '/api/connections', {
        name: fresh('connection'),
        type: 'postgres',
        config: { host: 'h', database: 'd', user: 'u', password: 'hush' },
      })
    ).body.id;

  const makePipeline = async (more: object = {}): Promise<string> =>
    (
      await call('POST', '/api/pipelines', {
        name: fresh('pipeline'),
        projectId: await makeProject(),
        ...graph(await makeConnection()),
        ...more,
      })
    ).body.id;

  return { api, call, fresh, makeProject, makeConnection, makePipeline };
};
