import assert from 'node:assert/strict';
import {test} from 'node:test';
import {simulate} from './simulate.ts';

const SEEDS = 40;

test('a seed gives the same events twice', async () => {
  const [first, second] = [await simulate(7, {isTraced: true}), await simulate(7, {isTraced: true})];
  assert.ok(first.events.length > 100);
  assert.deepEqual(second.events, first.events);
});

test(`${SEEDS} worlds with faults, thieves and reorganisations break no rule`, async () => {
  for (let seed = 1; seed <= SEEDS; seed++) assert.deepEqual(await violationOf(seed), {seed, violation: undefined});
});

/** The members that say how to replay a failure: `npm run simulate -- --seeds N`. */
async function violationOf(seed: number): Promise<object> {
  const {violation} = await simulate(seed);
  return {seed, violation};
}
