import assert from 'node:assert/strict';
import {once} from 'node:events';
import {join} from 'node:path';
import {text} from 'node:stream/consumers';
import {test} from 'node:test';
import {Worker} from 'node:worker_threads';
import {PROJECT} from '../project.ts';

// `test:all` leaves this file out: seeds.slow.ts runs the same worlds, among others, on a faster Node.

const SEEDS = 200;

test(`${SEEDS} worlds with faults, thieves and reorganisations break no rule`, async () => {
  // In a thread, because Node follows every promise of a test, which takes a third of the time.
  const worlds = new Worker(join(PROJECT, 'dist/tests/simulator-main.js'), {
    argv: ['--seeds', `1-${SEEDS}`],
    resourceLimits: {maxYoungGenerationSizeMb: 64},
    stdout: true,
  });
  const [printed, exit] = await Promise.all([text(worlds.stdout), once(worlds, 'exit')]);
  assert.match(printed, / 0 violations/);
  assert.deepEqual(exit, [0]);
});
