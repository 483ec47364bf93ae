import assert from 'node:assert/strict';
import {test} from 'node:test';
import {currentFees, raised} from '../../paywall/settler/fees.ts';
import {gweiOf} from '../../paywall/settler/order.ts';
import {standInNode} from './stand-in-node.ts';

test('offers twice the base fee of the next block, and the priority fee', async () => {
  const node = standInNode({bases: [5n, 7n], tip: 2n});
  assert.deepEqual(await currentFees(node), {base: 7n, maxPriorityFeePerGas: 2n, maxFeePerGas: 16n});
  assert.deepEqual(node.asked, ['getFeeHistory 1 []', 'estimateMaxPriorityFeePerGas']);
});

test('counts a missing base fee as zero', async () => {
  assert.deepEqual(await currentFees(standInNode({bases: [], tip: 2n})), {
    ...{base: 0n, maxPriorityFeePerGas: 2n, maxFeePerGas: 2n},
  });
});

type Pair = readonly [maxFeePerGas: bigint, maxPriorityFeePerGas: bigint];
const cases: readonly [what: string, previous: Pair, current: Pair, expected: Pair | undefined][] = [
  ['are the current fees if these are higher', [80n, 4n], [100n, 10n], [100n, 10n]],
  ['are an eighth higher than the previous fees', [800n, 80n], [100n, 10n], [901n, 91n]],
  ['rise by more than an eighth', [100n, 50n], [20n, 10n], [113n, 57n]],
  ['never have a priority fee above the fee', [10n, 100n], [20n, 5n], [20n, 20n]],
  ['are at most ten times the current fees', [888n, 8n], [100n, 10n], [1000n, 10n]],
  ['do not exist above ten times the current fees', [889n, 8n], [100n, 10n], undefined],
];
for (const [what, previous, current, expected] of cases)
  test(`the fees of a replacement ${what}`, () => {
    assert.deepEqual(raised(feesOf(previous), feesOf(current)), expected && feesOf(expected));
  });

for (const [wei, gwei] of [
  [0n, 0],
  [1n, 1],
  [10n ** 9n, 1],
  [10n ** 9n + 1n, 2],
] as const)
  test(`${wei} wei are ${gwei} gwei, rounded up`, () => {
    assert.equal(gweiOf(wei), gwei);
  });

function feesOf([maxFeePerGas, maxPriorityFeePerGas]: Pair) {
  return {maxFeePerGas, maxPriorityFeePerGas};
}
