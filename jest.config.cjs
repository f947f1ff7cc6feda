/** Packages that ship ES modules only: Jest's CommonJS has to compile them, too. */
const esmOnly = ['jose', 'nanoid', 'hyparquet', 'hyparquet-writer', '@platformatic'];

const project = {
  rootDir: __dirname,
  testEnvironment: 'node',
  moduleFileExtensions: ['ts', 'js', 'cjs', 'mjs', 'json', 'node'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': ['$1.ts', '$1.js'] },
  transform: {
    '^.+\\.m?[tj]s$': [
      '@swc/jest',
      {
        swcrc: false,
        jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
        module: { type: 'commonjs' },
      },
    ],
  },
  transformIgnorePatterns: [`/node_modules/(?!(${esmOnly.join('|')})/)`, '<rootDir>/dist/'],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.fluxline/'],
  globalTeardown: '<rootDir>/test/support/globalTeardown.ts',
};

const unitFolders = ['core', 'sql', 'secrets', 'net', 'engine', 'connectors', 'db', 'dispatch'];
unitFolders.push('activities', 'workflows', 'servers', 'bin');

/** @type {import('jest').Config} */
module.exports = {
  // Only honoured here, not per project. A bound on hanging, no expectation of speed.
  testTimeout: 180_000,
  projects: [
    {
      ...project,
      displayName: 'unit',
      testMatch: [`<rootDir>/test/(${unitFolders.join('|')})/**/*.test.ts`],
      globalSetup: '<rootDir>/test/support/globalSetup.ts',
    },
    {
      ...project,
      displayName: 'api',
      testMatch: ['<rootDir>/test/api/**/*.test.ts'],
      globalSetup: '<rootDir>/test/support/globalSetup.ts',
    },
    {
      ...project,
      displayName: 'e2e',
      testMatch: ['<rootDir>/test/e2e/**/*.test.ts'],
      globalSetup: '<rootDir>/test/support/globalSetupE2e.ts',
    },
    {
      ...project,
      displayName: 'systems',
      testMatch: ['<rootDir>/test/systems/**/*.test.ts'],
      globalSetup: '<rootDir>/test/support/globalSetup.ts',
    },
  ],
};
