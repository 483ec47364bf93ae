import assert from 'node:assert/strict';
import {test} from 'node:test';
import {simulate} from './simulate.ts';

test('a seed gives the same events twice', async () => {
  const [first, second] = [await simulate(7, {}, true), await simulate(7, {}, true)];
  assert.ok(first.events.length > 100);
  assert.deepEqual(second.events, first.events);
});
