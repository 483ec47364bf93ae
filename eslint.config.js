import js from '@eslint/js';
import tseslint from 'typescript-eslint';

/** What scripts find in every Node, and in every browser. */
const NODE = globalsOf('Buffer', 'Response', 'URL', 'console', 'performance', 'process');
const BROWSER = globalsOf('document', 'navigator', 'setTimeout');

export default tseslint.config(
  {ignores: ['node_modules', 'public', 'paywall/rules', 'build/pages/in-browser/*.d.ts']},
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
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
  {files: ['**/*.js'], extends: [js.configs.recommended], languageOptions: {globals: NODE}},
  {files: ['build/pages/in-browser/*.js'], languageOptions: {globals: {...BROWSER, ...off(NODE)}}},
);

function globalsOf(...names) {
  return Object.fromEntries(names.map(name => [name, 'readonly']));
}

function off(globals) {
  return Object.fromEntries(Object.keys(globals).map(name => [name, 'off']));
}
