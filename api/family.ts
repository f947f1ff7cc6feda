/** Which error shape a path speaks, whether or not a route is there. */
export type ErrorShape = 'problem' | 'iceberg' | 'oauth';

const under = (path: string, root: string): boolean => path === root || path.startsWith(`${root}/`);

/** The resource and orchestration families move with the base prefix; the catalog stays at `/v1`. */
export const errorShapeOf = (path: string, basePrefix: string): ErrorShape =>
  !under(path, `${basePrefix}/api`) && under(path, '/v1') ? 'iceberg' : 'problem';

/** The path a route is mounted at. */
export const mountedPath = (path: string, basePrefix: string): string =>
  under(path, '/api') ? basePrefix + path : path;
