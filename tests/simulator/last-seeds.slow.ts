import assert from 'node:assert/strict';
import {test} from 'node:test';
import {firstViolation} from './simulate.ts';

test('the worlds of the seeds 2,601 to 5,000 break no rule', async () => {
  assert.equal(await firstViolation(2_601, 5_000), undefined);
});
