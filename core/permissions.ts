/**
 * Scopes say what a key may do: `<resource>:<action>`, either side may be `*`. A route needs one
 * plain scope; a key carries any number of them, a role stands for a set.
 */
const resources = [
  'projects',
  'folders',
  'variables',
  'connections',
  'credentials',
  'pipelines',
  'runs',
  'schedules',
  'triggers',
  'streams',
  'reverse_etl',
  'dlq',
  'diagnostics',
  'git',
  'jobs',
  'backfills',
  'webhooks',
  'lineage',
  'templates',
  'contracts',
  'ai',
  'catalog',
  'user',
  'api_keys',
  'settings',
  'organization',
  'notifications',
  'audit',
] as const;
type Resource = (typeof resources)[number];

const actions = ['read', 'write', 'run', 'admin'] as const;
type Action = (typeof actions)[number];

/** What a route can ask for. */
export type Permission = `${Resource}:${Action}`;

const wildcard = '*';
const verbs: Readonly<Record<Action, string>> = {
  read: 'See',
  write: 'Create, change and delete',
  run: 'Start, stop and test',
  admin: 'Set policies of',
};

const nouns: Partial<Record<Resource, string>> = {
  reverse_etl: 'reverse ETL syncs',
  dlq: 'dead letters',
  git: 'the Git integration',
  lineage: 'lineage',
  ai: 'AI assistance',
  catalog: 'the Iceberg catalog',
  user: "the key owner's profile",
  api_keys: 'API keys',
  organization: 'the organization',
  audit: 'the audit log',
};

export const permissions: readonly Permission[] = resources.flatMap((resource) =>
  actions.map((action): Permission => `${resource}:${action}`),
);

/** Every scope a key can carry without a wildcard, for people choosing some. */
export const describeScopes = (): { scope: string; description: string }[] =>
  resources.flatMap((resource) =>
    actions.map((action) => ({
      scope: `${resource}:${action}`,
      description: `${verbs[action]} ${nouns[resource] ?? resource}.`,
    })),
  );

const split = (scope: string): [string, string] | undefined => {
  const parts = scope.split(':');
  return parts.length === 2 ? (parts as [string, string]) : undefined;
};

export const isPermission = (scope: string): scope is Permission =>
  (permissions as readonly string[]).includes(scope);

/** A permission, or one with `*` on either side. */
export const isScope = (scope: string): boolean => {
  const parts = split(scope);
  if (!parts) return false;
  const [resource, action] = parts;
  return (
    (resource === wildcard || (resources as readonly string[]).includes(resource)) &&
    (action === wildcard || (actions as readonly string[]).includes(action))
  );
};

const matches = (pattern: string, resource: string, action: string): boolean => {
  const parts = split(pattern);
  return (
    parts !== undefined &&
    (parts[0] === wildcard || parts[0] === resource) &&
    (parts[1] === wildcard || parts[1] === action)
  );
};

/** The permissions a scope stands for; none for what is not a scope. */
const standsFor = (scope: string): readonly string[] => {
  if (!isScope(scope)) return [];
  return scope.includes(wildcard)
    ? permissions.filter((permission) => {
        const [resource, action] = permission.split(':') as [string, string];
        return matches(scope, resource, action);
      })
    : [scope];
};

/**
 * Whether what was granted suffices. A needed wildcard is covered when everything it stands for is,
 * so a key with every single permission may hand on `*:*`.
 */
export const covers = (granted: readonly string[], needed: string): boolean => {
  if (granted.includes(needed) || granted.includes('*:*')) return isScope(needed);
  const wanted = standsFor(needed);
  return (
    wanted.length > 0 &&
    wanted.every((permission) => {
      const [resource, action] = permission.split(':') as [string, string];
      return granted.some((pattern) => matches(pattern, resource, action));
    })
  );
};

/** Whether nothing is asked for that was not granted: a key never carries more than its creator. */
export const narrower = (requested: readonly string[], granted: readonly string[]): boolean =>
  requested.every((scope) => covers(granted, scope));

export const roles = ['owner', 'admin', 'editor', 'operator', 'viewer'] as const;
export type Role = (typeof roles)[number];

/** People see and change their own profile and keys whatever their role; the log is for admins. */
const personal: readonly Permission[] = ['user:write', 'api_keys:write'];
const everyRead = permissions.filter((scope) => scope.endsWith(':read') && scope !== 'audit:read');
const governed: ReadonlySet<string> = new Set(['settings', 'organization', 'audit']);

const worked = (action: Action): readonly Permission[] =>
  resources
    .filter((resource) => !governed.has(resource))
    .map((resource): Permission => `${resource}:${action}`);

export const roleScopes: Readonly<Record<Role, readonly string[]>> = {
  owner: ['*:*'],
  admin: permissions.filter((scope) => scope !== 'organization:admin'),
  editor: [...everyRead, ...worked('write'), ...worked('run')],
  operator: [...everyRead, ...worked('run'), 'runs:write', 'jobs:write', 'dlq:write', ...personal],
  viewer: [...everyRead, ...personal],
};
