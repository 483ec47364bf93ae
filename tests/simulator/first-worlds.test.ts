import assert from 'node:assert/strict';
import {test} from 'node:test';
import {firstViolation} from './simulate.ts';

// `test:all` leaves this file out: seeds.slow.ts runs the same worlds, among others, on a faster Node.

const SEEDS = 200;

test(`${SEEDS} worlds with faults, thieves and reorganisations break no rule`, async () => {
  assert.equal(await firstViolation(1, SEEDS), undefined);
});
