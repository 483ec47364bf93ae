import assert from 'node:assert/strict';
import {test} from 'node:test';
import {fuzz, TARGETS} from '../fuzz/run.ts';

/** A few inputs of each; `npm run fuzz` tries for minutes. */
const COURSE = {ms: 60_000, runs: 20, seed: 20_260_501};

for (const target of TARGETS)
  test(`nothing is found in ${target.name} in a few runs`, async () => {
    const {runs, failure} = await fuzz(target, COURSE);
    assert.equal(failure, undefined);
    assert.ok(runs > 0);
  });
