/**
 * The house's walls (docs/architecture.md): who may import whom, as values. Types may cross where
 * a rule says so; Node built-ins are allowed everywhere but in core, workflows and api/routes.
 */
const core = '^core/';
const types = { dependencyTypesNot: ['type-only'] };

/** Folder → our own files it may import as values, and the packages. */
const walls = [
  { from: '^core/', ours: ['^core/'], packages: ['@sinclair/typebox', 'croner'], builtins: false },
  { from: '^sql/', ours: [core, '^sql/'], packages: ['libpg-query', '@polyglot-sql/sdk'] },
  { from: '^secrets/', ours: [core, '^secrets/'], packages: ['@node-rs/argon2'] },
  {
    from: '^net/',
    ours: [core, '^net/', '^connectors/httpDispatcher\\.ts$'],
    packages: ['undici', 'ipaddr.js'],
  },
  {
    from: '^connectors/(catalog|registry)\\.ts$',
    ours: [core, '^connectors/[^/]+/manifest\\.ts$', '^connectors/[^/]+/connector\\.ts$'],
    packages: [],
  },
  { from: '^connectors/httpDispatcher\\.ts$', ours: [core], packages: ['undici'] },
  {
    from: '^connectors/([^/]+)/',
    ours: [
      core,
      '^connectors/(connector|store|manifest|tableNodes|httpDispatcher)\\.ts$',
      // What object stores share.
      '^connectors/objects/',
      '^connectors/$1/',
    ],
    packages: ['@sinclair/typebox', 'pg', 'pg-copy-streams', 'mysql2', '@platformatic/kafka'],
  },
  {
    from: '^engine/',
    ours: [core, '^sql/', '^engine/', '^connectors/(connector|store)\\.ts$'],
    packages: ['@duckdb/node-api'],
  },
  { from: '^db/', ours: [core, '^db/'], packages: ['knex', 'objection', 'pg'] },
  {
    from: '^dispatch/',
    ours: [core, '^db/', '^dispatch/', '^workflows/contract\\.ts$'],
    packages: ['@temporalio/client', '@temporalio/common', 'pino'],
  },
  {
    from: '^activities/',
    ours: [
      core,
      '^sql/',
      '^db/',
      '^engine/',
      '^secrets/',
      '^net/',
      '^activities/',
      '^connectors/registry\\.ts$',
    ],
    packages: ['@temporalio/activity', 'pino'],
  },
  {
    from: '^workflows/',
    ours: [core, '^workflows/'],
    packages: ['@temporalio/workflow'],
    builtins: false,
  },
  {
    from: '^api/routes/',
    ours: [
      core,
      '^db/repos/',
      '^sql/',
      '^api/(route|schemas/.*)\\.ts$',
      '^connectors/catalog\\.ts$',
      '^api/routes/',
    ],
    packages: ['@sinclair/typebox'],
    builtins: false,
  },
  {
    from: '^api/[^/]+\\.ts$|^api/(?!routes/)',
    ours: [
      core,
      '^sql/',
      '^db/',
      '^dispatch/',
      '^secrets/',
      '^net/',
      '^connectors/catalog\\.ts$',
      '^api/',
    ],
    packages: [
      'koa',
      '@koa/router',
      'ajv',
      'ajv-formats',
      '@sinclair/typebox',
      'jose',
      'pino',
      'prom-client',
      'swagger-ui-dist',
      'yaml',
    ],
  },
  { from: '^cli/', ours: ['^cli/'], packages: [] },
];

const packagePattern = (names) => `node_modules/(${names.join('|')})/`;

const rulesOf = ({ from, ours, packages, builtins = true }) => [
  {
    name: `ours from ${from}`,
    comment: 'See the import table in docs/architecture.md.',
    severity: 'error',
    from: { path: from },
    to: {
      path: '^(api|workflows|dispatch|activities|connectors|engine|db|sql|secrets|net|core|cli|bin|servers|bench|test)/',
      pathNot: ours,
      ...types,
    },
  },
  {
    name: `packages from ${from}`,
    severity: 'error',
    from: { path: from },
    to: {
      path: 'node_modules/',
      ...(packages.length > 0 ? { pathNot: packagePattern(packages) } : {}),
      ...types,
    },
  },
  ...(builtins
    ? []
    : [
        {
          name: `built-ins from ${from}`,
          severity: 'error',
          from: { path: from },
          to: { dependencyTypes: ['core'] },
        },
      ]),
];

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'nobody-imports-bin',
      severity: 'error',
      from: { pathNot: '^(bin|test|bench)/' },
      to: { path: '^bin/' },
    },
    {
      name: 'one-resource-one-file',
      comment: 'A route file imports no other, but index.ts lists them all.',
      severity: 'error',
      from: { path: '^api/routes/', pathNot: '^api/routes/index\\.ts$' },
      to: { path: '^api/routes/' },
    },
    ...walls.flatMap(rulesOf),
  ],
  options: {
    tsConfig: { fileName: require('node:path').join(__dirname, 'tsconfig.json') },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|test/fixtures)/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.js', '.mjs', '.cjs'],
    },
  },
};
