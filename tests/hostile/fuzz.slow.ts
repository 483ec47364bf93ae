import assert from 'node:assert/strict';
import {test} from 'node:test';
import {fuzz, TARGETS} from '../fuzz/run.ts';

/** Enough for a few inputs of each; `npm run fuzz` tries for minutes. */
const MS = 3000;

for (const target of TARGETS)
  test(`nothing is found in ${target.name} in a few seconds`, async () => {
    const {runs, failure} = await fuzz(target, {ms: MS, seed: 20_260_501});
    assert.equal(failure, undefined);
    assert.ok(runs > 0);
  });
