import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {constants, setPriority} from 'node:os';
import {join} from 'node:path';
import {describe, it} from 'node:test';
import {promisify} from 'node:util';
import {newestNode} from '../extra/extra.ts';
import {PROJECT} from '../project.ts';

/** `npm run test:all` compiles it. */
const MAIN = join(PROJECT, 'dist/tests/simulator-main.js');
const FLAGS = [
  ...['--single-threaded-gc', '--max-semi-space-size=128', '--min-semi-space-size=128'],
  '--disable-warning=ExperimentalWarning',
];

describe('the worlds of the seeds', {concurrency: 2}, () => {
  for (const seeds of ['1-2500', '2501-5000'])
    it(`${seeds} break no rule`, async () => {
      const args = [...FLAGS, MAIN, '--seeds', seeds];
      const running = promisify(execFile)(newestNode, args);
      // The worlds take the time that other tests leave: they never wait, and have no deadlines.
      setPriority(running.child.pid ?? assert.fail(), constants.priority.PRIORITY_LOW);
      const {stdout} = await running.catch((error: unknown) => error as {stdout: string});
      assert.match(stdout, / 0 violations/);
    });
});
