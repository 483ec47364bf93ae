import assert from 'node:assert/strict';
import {test} from 'node:test';
import {firstViolation} from './simulate.ts';

const [FIRST, LAST] = [201, 1_200];

test(`the worlds of the seeds ${FIRST} to ${LAST} break no rule`, async () => {
  assert.equal(await firstViolation(FIRST, LAST), undefined);
});
