import assert from 'node:assert/strict';
import {test} from 'node:test';
import {fuzz, TARGETS} from '../fuzz/run.ts';

/** A few inputs for each target. `npm run fuzz` runs for minutes. */
const COURSE = {ms: 60_000, runs: 4, seed: 20_260_501};

for (const target of TARGETS)
  test(`a few runs find no error in ${target.name}`, async () => {
    const {runs, failure} = await fuzz(target, COURSE);
    assert.equal(failure, undefined);
    assert.ok(runs > 0);
  });
