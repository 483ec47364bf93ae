import assert from 'node:assert/strict';
import {test} from 'node:test';
import {firstViolation} from './simulate.ts';

test('the worlds of the seeds 201 to 2,600 break no rule', async () => {
  assert.equal(await firstViolation(201, 2_600), undefined);
});
