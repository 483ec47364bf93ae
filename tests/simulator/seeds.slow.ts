import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {join} from 'node:path';
import {describe, it} from 'node:test';
import {promisify} from 'node:util';
import {newestNode} from '../extra/extra.ts';
import {PROJECT} from '../project.ts';

/** `npm run test:all` compiles it. */
const MAIN = join(PROJECT, 'dist/tests/simulator-main.js');
const FLAGS = ['--single-threaded-gc', '--max-semi-space-size=64', '--disable-warning=ExperimentalWarning'];

describe('the worlds of the seeds', {concurrency: 2}, () => {
  for (const seeds of ['1-2500', '2501-5000'])
    it(`${seeds} break no rule`, async () => {
      const args = [...FLAGS, MAIN, '--seeds', seeds];
      const {stdout} = await promisify(execFile)(newestNode, args).catch((error: unknown) => error as {stdout: string});
      assert.match(stdout, / 0 violations/);
    });
});
