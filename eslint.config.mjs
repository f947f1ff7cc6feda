import tseslint from 'typescript-eslint';

const typed = {
  files: ['**/*.ts'],
  extends: [...tseslint.configs.strictTypeChecked],
  languageOptions: {
    parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
  },
  rules: {
    '@typescript-eslint/no-explicit-any': 'error',
    '@typescript-eslint/no-floating-promises': 'error',
    '@typescript-eslint/consistent-type-imports': 'error',
    '@typescript-eslint/switch-exhaustiveness-check': 'error',
    '@typescript-eslint/require-await': 'off', // an async signature is often the interface's, not the body's
    '@typescript-eslint/restrict-template-expressions': [
      'error',
      { allowNumber: true, allowBoolean: true },
    ],
    '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
    // Characters are counted and split as code points on purpose.
    '@typescript-eslint/no-misused-spread': 'off',
    '@typescript-eslint/no-unnecessary-type-parameters': 'off', // typed accessors name their row once
    'no-console': 'error',
    'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
    'no-restricted-syntax': [
      'error',
      {
        // Class fields compile to own `undefined` keys, which Objection would write as columns.
        selector:
          "ClassDeclaration[superClass.name='Model'] > ClassBody > PropertyDefinition[static=false][declare=false]",
        message: 'Model columns are `declare` fields.',
      },
    ],
  },
};

export default tseslint.config(
  { ignores: ['dist/**', 'node_modules/**', '.fluxline/**', 'test/fixtures/**'] },
  typed,
  {
    files: ['bin/**/*.ts', 'bench/**/*.ts'],
    rules: { 'no-console': 'off' },
  },
);
