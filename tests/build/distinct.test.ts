import assert from 'node:assert/strict';
import {test} from 'node:test';
import {allDistinct} from '../../build/rows/distinct.ts';

/** Evenly spread whole numbers of 53 bits, the same at every run. */
function spread(length: number): number[] {
  let state = 0x2545f491;
  const next = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0);
  return Array.from({length}, () => next() * 2 ** 21 + (next() >>> 11));
}

const distinct = (numbers: readonly number[]) => allDistinct(Float64Array.from(numbers));

test('a number that stands twice is found wherever it stands', () => {
  const numbers = spread(5000);
  assert.equal(new Set(numbers).size, numbers.length);
  assert.equal(distinct(numbers), true);
  for (const [from, to] of [
    [0, 4999],
    [4999, 0],
    [17, 18],
    [2500, 3],
  ] as const) {
    assert.equal(distinct(numbers.with(to, numbers[from] ?? 0)), false);
  }
});

test('the least and the greatest number are numbers like others', () => {
  const limits = [0, 1, 2 ** 53 - 1, 2 ** 53 - 2];
  assert.equal(distinct(limits), true);
  for (const limit of limits) assert.equal(distinct([...limits, limit]), false);
});

test('no number, one number, and many numbers in one bucket', () => {
  assert.equal(distinct([]), true);
  assert.equal(distinct([42]), true);
  const near = Array.from({length: 3000}, (_, index) => index);
  assert.equal(distinct(near), true);
  assert.equal(distinct([...near, 1500]), false);
});
