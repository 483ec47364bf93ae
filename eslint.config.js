import tseslint from 'typescript-eslint';

export default tseslint.config(
  {ignores: ['node_modules', 'public', 'paywall/rules', '**/*.js']},
  tseslint.configs.strictTypeChecked,
  {
    languageOptions: {parserOptions: {projectService: true}},
    rules: {
      // node:test returns promises from `test` and `describe` that the runner itself awaits.
      '@typescript-eslint/no-floating-promises': [
        'error',
        {allowForKnownSafeCalls: [{from: 'package', package: 'node:test', name: ['test', 'it', 'describe', 'suite']}]},
      ],
      '@typescript-eslint/restrict-template-expressions': ['error', {allowNumber: true}],
    },
  },
);
