import assert from 'node:assert/strict';
import {test} from 'node:test';
import {areDistinct, FEW} from '../../build/rows/distinct.ts';

/** Evenly spread numbers of 64 bits, the same at every run. */
function spread(length: number): bigint[] {
  let state = 0x2545f491;
  const next = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0);
  return Array.from({length}, () => (BigInt(next()) << 32n) + BigInt(next()));
}

/** Compares few numbers as they are, and among so many others, greater and less, that it takes a thread. */
async function distinct(numbers: readonly bigint[]): Promise<boolean> {
  const given = new Set(numbers);
  const others = spread(FEW + 1).filter(number => !given.has(number));
  const [few, many] = [BigUint64Array.from(numbers), BigUint64Array.from([...others, ...numbers])];
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
    assert.equal(await distinct(numbers.with(to, numbers[from] ?? 0n)), false);
  }
});

test('the least and the greatest number are numbers like others', async () => {
  const limits = [0n, 1n, 2n ** 32n, 2n ** 64n - 1n, 2n ** 64n - 2n];
  assert.equal(await distinct(limits), true);
  for (const limit of limits) assert.equal(await distinct([...limits, limit]), false);
});

test('no number, one number, and many numbers in one bucket', async () => {
  assert.equal(await distinct([]), true);
  assert.equal(await distinct([42n]), true);
  const near = Array.from({length: 3000}, (_, index) => BigInt(index));
  assert.equal(await distinct(near), true);
  assert.equal(await distinct([...near, 1500n]), false);
});
