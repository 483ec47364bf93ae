import assert from 'node:assert/strict';
import {test} from 'node:test';
import {Gas} from '../../paywall/settler/gas.ts';
import {standInNode} from './stand-in-node.ts';

const ADDRESS = '0x00000000000000000000000000000000000000A1';
/** A sale of 110,000 units of gas at the fees of the node: twice its base fee and its tip. */
const SALE = 110_000n * 22n;

/** Returns the gas of an account that can pay for this many sales, and its reports. */
function gasOf(sales: bigint, percent = 20) {
  const node = standInNode({balance: sales * SALE});
  const troubles: string[] = [];
  return {node, troubles, gas: new Gas(ADDRESS, node, percent, trouble => troubles.push(trouble))};
}

test('is enough for as many settlements at a time as the balance pays for', async () => {
  const {gas} = gasOf(2n);
  assert.equal(await gas.isEnough(), true);
  await gas.during(async () => {
    assert.equal(await gas.isEnough(), true);
    await assert.rejects(
      gas.during(async () => {
        assert.equal(await gas.isEnough(), false);
        throw new Error('it failed');
      }),
      /it failed/,
    );
    assert.equal(await gas.isEnough(), true);
  });
  assert.equal(await gasOf(0n).gas.isEnough(), false);
});

test('is enough again two minutes after a Worker stopped the request of a settlement', async t => {
  const {gas} = gasOf(2n);
  let now = 1_000;
  t.mock.method(performance, 'now', () => now);
  const stopped = () => new Promise<void>(() => undefined);
  for (let count = 0; count < 2; count++) void gas.during(stopped);
  now += 120_000;
  assert.equal(await gas.isEnough(), false);
  now += 1;
  assert.equal(await gas.isEnough(), true);
});

test('is always enough on a chain without fees', async () => {
  const {node, gas, troubles} = gasOf(0n);
  Object.assign(node, {bases: [0n], tip: 0n});
  assert.equal(await gas.isEnough(), true);
  assert.deepEqual(troubles, []);
});

test('is read again after two seconds', async t => {
  const {node, gas} = gasOf(2n);
  let now = 1_000;
  t.mock.method(performance, 'now', () => now);
  assert.equal(await gas.isEnough(), true);
  assert.ok(node.asked.includes(`getBalance ${ADDRESS}`));
  assert.deepEqual(await gas.fees(), {maxFeePerGas: 22n, maxPriorityFeePerGas: 2n});
  Object.assign(node, {balance: 0n, tip: 3n});
  now += 2_000;
  assert.equal(await gas.isEnough(), true);
  now += 1;
  assert.equal(await gas.isEnough(), false);
  assert.deepEqual(await gas.fees(), {maxFeePerGas: 23n, maxPriorityFeePerGas: 3n});
});

test('is shared with contract wallets, except for the reserve', async () => {
  const spending = (gas: Gas) => gas.spendingOf('0x00000000000000000000000000000000000000Ab', 2_000_000_001n);
  const contract = '0x00000000000000000000000000000000000000ab';
  // A fifth of 242 gwei, rounded up.
  assert.deepEqual(await spending(gasOf(100_000n).gas), {contract, cost: 3, budget: 49});
  assert.equal((await spending(gasOf(99n).gas)).budget, 0);
  const {gas} = gasOf(100n);
  assert.equal((await spending(gas)).budget, 1);
  await gas.during(async () => {
    assert.equal((await spending(gas)).budget, 0);
  });
});

test('is reported once if it is low, until it was enough again', async t => {
  const {node, gas, troubles} = gasOf(100n);
  let now = 1_000;
  t.mock.method(performance, 'now', () => now);
  const refresh = async (sales: bigint) => {
    node.balance = sales * SALE;
    now += 2_001;
    await gas.fees();
    return troubles.splice(0);
  };
  assert.deepEqual(await refresh(100n), []);
  assert.deepEqual(await refresh(99n), [
    `The settler ${ADDRESS} has 0.00000000023958 of the chain's coin for gas, enough for about 99 settlements: send it more.`,
  ]);
  assert.deepEqual(await refresh(98n), []);
  assert.deepEqual(await refresh(100n), []);
  assert.equal((await refresh(3n)).length, 1);
});
