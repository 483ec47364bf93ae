import assert from 'node:assert/strict';
import {test} from 'node:test';
import {hasRepeated, openDatabase, repeatedHash} from '../../build/rows/database.ts';

/** Evenly distributed numbers of 64 bits, the same in every run. */
function spread(length: number): bigint[] {
  let state = 0x2545f491;
  const next = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0);
  return Array.from({length}, () => (BigInt(next()) << 32n) + BigInt(next()));
}

function repeats(numbers: readonly bigint[]): boolean {
  return hasRepeated(new Uint32Array(BigUint64Array.from(numbers).buffer));
}

test('a duplicate number is found at every position', () => {
  const numbers = spread(5000);
  assert.equal(new Set(numbers).size, numbers.length);
  assert.equal(repeats(numbers), false);
  for (const [from, to] of [
    [0, 4999],
    [4999, 0],
    [17, 18],
    [2500, 3],
  ] as const) {
    assert.equal(repeats(numbers.with(to, numbers[from] ?? 0n)), true);
  }
});

test('numbers that share one word are different numbers', () => {
  assert.equal(repeats([1n, 1n << 32n, (1n << 32n) + 1n, 0n]), false);
});

test('the smallest and the largest number are not special', () => {
  const limits = [0n, 1n, 2n ** 32n, 2n ** 64n - 1n, 2n ** 64n - 2n];
  const others = spread(1000).filter(number => !limits.includes(number));
  assert.equal(repeats([...others, ...limits]), false);
  for (const limit of limits) assert.equal(repeats([...others, ...limits, limit]), true);
});

test('there can be no number, one number, or many numbers in one bucket', () => {
  assert.equal(repeats([]), false);
  assert.equal(repeats([42n]), false);
  const near = Array.from({length: 3000}, (_, index) => BigInt(index) << 32n);
  assert.equal(repeats(near), false);
  assert.equal(repeats([...near, near[1500] ?? 0n]), true);
});

test('DuckDB calls it with every value of an aggregate', async () => {
  const database = await openDatabase('.');
  try {
    const repeated = repeatedHash('x', 'FILTER (x IS NOT NULL)');
    const ask = async (rows: string) => (await database.query(`SELECT ${repeated} FROM ${rows}`))[0]?.[0];
    assert.equal(await ask('range(300000) AS t(x)'), false);
    assert.equal(await ask('(SELECT x % 299999 AS x FROM range(300000) AS t(x))'), true);
    assert.equal(await ask('(VALUES (NULL), (NULL), (1)) AS t(x)'), false);
    assert.notEqual(await ask('range(0) AS t(x)'), true);
  } finally {
    database.close();
  }
});
