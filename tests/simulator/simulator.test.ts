import assert from 'node:assert/strict';
import {test} from 'node:test';
import {firstViolation, simulate} from './simulate.ts';

const SEEDS = 200;

test('a seed gives the same events twice', async () => {
  const [first, second] = [await simulate(7, {isTraced: true}), await simulate(7, {isTraced: true})];
  assert.ok(first.events.length > 100);
  assert.deepEqual(second.events, first.events);
});

test(`${SEEDS} worlds with faults, thieves and reorganisations break no rule`, async () => {
  assert.equal(await firstViolation(1, SEEDS), undefined);
});
