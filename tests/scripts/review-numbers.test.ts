import assert from 'node:assert/strict';
import {test} from 'node:test';
import {moveOf, signedWords} from '../../scripts/review/numbers.ts';

const changes: readonly [before: number, after: number, difference: string][] = [
  [1_000_000, 2_234_567, '+1,234,567'],
  [-9_007_199_254_740_990, 0, '+9,007,199,254,740,990'],
  [12_345_678.5, 1, '-12,345,700'],
  [0.3, 0.1, '-0.2'],
  [0.1, 0.3, '+0.2'],
];

for (const [before, after, expected] of changes)
  test(`the difference from ${before} to ${after} is ${expected}`, () => {
    assert.equal(signedWords(moveOf(before, after).difference), expected);
  });
