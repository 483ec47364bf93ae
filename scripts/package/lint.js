import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {delimiter, join} from 'node:path';

// Runs all checks at the same time. Oxlint also reports what TypeScript does, for each file with the tsconfig.json next to or above it. A
// further tsconfig.json costs time, because all files that it includes are checked once more.

const CHECKS = [
  'oxlint --type-check',
  'prettier --check --cache --cache-strategy content --plugin ./tests/extra/node_modules/@prettier/plugin-oxc/index.mjs .',
  'node --import tsx scripts/package/lint-prose.ts',
];
const extra = join(import.meta.dirname, '../../tests/extra/node_modules/.bin');
// The type check of Oxlint is a Go program, which takes a fifth less processor time if it collects garbage less often.
const env = {...process.env, PATH: [extra, process.env['PATH']].join(delimiter), GOGC: '400'};
const codes = await Promise.all(
  CHECKS.map(async check => {
    const [code] = await once(spawn(check, {shell: true, stdio: 'inherit', env}), 'close');
    return code;
  }),
);
process.exitCode = codes.every(code => code === 0) ? 0 : 1;
