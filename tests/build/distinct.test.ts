import assert from 'node:assert/strict';
import {test} from 'node:test';
import {areDistinct, FEW} from '../../build/rows/distinct.ts';

/** Evenly spread whole numbers of 53 bits, the same at every run. */
function spread(length: number): number[] {
  let state = 0x2545f491;
  const next = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0);
  return Array.from({length}, () => next() * 2 ** 21 + (next() >>> 11));
}

/** Compares few numbers as they are, and among so many others, greater and less, that it takes a thread. */
async function distinct(numbers: readonly number[]): Promise<boolean> {
  const given = new Set(numbers);
  const others = spread(FEW + 1).filter(number => !given.has(number));
  const [few, many] = [Float64Array.from(numbers), Float64Array.from([...others, ...numbers])];
  const [alone, among] = [await areDistinct(few), await areDistinct(many)];
  assert.equal(alone, among);
  assert.equal(many.length, 0, 'many numbers are taken over');
  return among;
}

test('a number that stands twice is found wherever it stands', async () => {
  const numbers = spread(5000);
  assert.equal(new Set(numbers).size, numbers.length);
  assert.equal(await distinct(numbers), true);
  for (const [from, to] of [
    [0, 4999],
    [4999, 0],
    [17, 18],
    [2500, 3],
  ] as const) {
    assert.equal(await distinct(numbers.with(to, numbers[from] ?? 0)), false);
  }
});

test('the least and the greatest number are numbers like others', async () => {
  const limits = [0, 1, 2 ** 53 - 1, 2 ** 53 - 2];
  assert.equal(await distinct(limits), true);
  for (const limit of limits) assert.equal(await distinct([...limits, limit]), false);
});

test('no number, one number, and many numbers in one bucket', async () => {
  assert.equal(await distinct([]), true);
  assert.equal(await distinct([42]), true);
  const near = Array.from({length: 3000}, (_, index) => index);
  assert.equal(await distinct(near), true);
  assert.equal(await distinct([...near, 1500]), false);
});
