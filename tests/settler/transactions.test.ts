import assert from 'node:assert/strict';
import {describe, test, type TestContext} from 'node:test';
import {install} from '@sinonjs/fake-timers';
import {parseTransaction, type Hex} from 'viem';
import {privateKeyToAccount} from 'viem/accounts';
import type {Ledger} from '../../paywall/ledger/ledger.ts';
import type {ContractRefusal, Reservation} from '../../paywall/ledger/reservation.ts';
import {OutOfGas, PaymentRefused, type Order} from '../../paywall/settler/order.ts';
import {Transactions} from '../../paywall/settler/transactions.ts';
import {standInNode, type StandInNode} from './stand-in-node.ts';

const account = privateKeyToAccount(`0x${'11'.repeat(32)}`);
const signer = {network: 'eip155:84532', address: account.address.toLowerCase()};
const TO = '0x00000000000000000000000000000000000000c2';
const call = {to: TO, data: '0xabcd'} as const;
const fees = {maxFeePerGas: 22n, maxPriorityFeePerGas: 2n};
const limits = {contract: '0xc0', cost: 1, budget: 2};

/** Transactions with stand-ins for the node and the ledger, and a record of their calls in order. */
function transactionsOf(answers: Parameters<typeof standInNode>[0] = {}, reserves: number | ContractRefusal = 7) {
  const node = standInNode(answers);
  const done: unknown[] = [];
  const record =
    (name: string, answer?: unknown) =>
    (...args: unknown[]) => {
      done.push([name, ...args]);
      return Promise.resolve(answer);
    };
  const ledger = {
    reserveNonce: record('reserve', reserves),
    reserveContractNonce: record('reserve for a contract', reserves),
    contractRefusal: record('check a contract', typeof reserves === 'number' ? null : reserves),
    addTransaction(...args: unknown[]) {
      node.asked.push('(record)');
      return record('record')(...args);
    },
  } as unknown as Ledger; // other methods are not called
  const troubles: string[] = [];
  const transactions = new Transactions(account, node, ledger, trouble => troubles.push(trouble));
  return {node, done, troubles, transactions};
}

function orderOf(done: unknown[], changes: Partial<Order> = {}): Order {
  return {
    key: 'a sale',
    gas: undefined,
    spending: () => Promise.resolve(undefined),
    onSigning: () => done.push(['sign']),
    ...changes,
  };
}

test('the signer is the account on the network of the node, which is requested once', async () => {
  const {node, transactions} = transactionsOf();
  assert.deepEqual(await transactions.signer(), signer);
  assert.deepEqual(await transactions.signer(), signer);
  assert.deepEqual(node.asked, ['getChainId']);
});

test('a call may use a quarter more gas than the node estimates, up to 500,000', async () => {
  const {node, transactions} = transactionsOf({gas: 400_000n});
  assert.equal(await transactions.estimate(call, fees), 500_000n);
  assert.deepEqual(node.asked, [`estimateGas ${account.address} ${TO} 0xabcd 22 2`]);
  node.gas = 400_001n;
  await assert.rejects(transactions.estimate(call, fees), new PaymentRefused('transaction_needs_too_much_gas'));
});

describe('a new transaction', () => {
  test('is recorded with a reserved nonce before it is sent', async () => {
    const {node, done, transactions} = transactionsOf({pending: 9});
    const reservation = await transactions.begin(call, orderOf(done));
    assert.deepEqual(node.asked.slice(-2), ['(record)', 'sendRawTransaction']);
    const [raw = '0x'] = node.sent;
    assert.ok(node.asked.includes(`getBalance ${account.address}`));
    // 100,000 units of gas for 22 wei are less than a gwei.
    assert.deepEqual(done, [
      ['reserve', signer, 'a sale', 9],
      ['sign'],
      ['record', signer, {nonce: 7, transactions: []}, raw, 1],
    ]);
    assert.deepEqual(reservation, {nonce: 7, sale: 'a sale', transactions: [raw], age: 0});
    const {chainId, nonce, to, data, gas, maxFeePerGas, maxPriorityFeePerGas, type} = parseTransaction(raw);
    assert.deepEqual(
      {chainId, nonce, to, data, gas, type},
      {
        ...{chainId: 84532, nonce: 7, gas: 100_000n, type: 'eip1559'},
        ...call,
      },
    );
    assert.deepEqual({maxFeePerGas, maxPriorityFeePerGas}, fees);
  });

  test('uses the nonce that is reserved already, and the gas that was estimated', async () => {
    const {node, done, transactions} = transactionsOf();
    const {nonce} = await transactions.begin(call, orderOf(done, {gas: 90_000n}), 3);
    assert.equal(nonce, 3);
    assert.equal(parseTransaction(node.sent[0] ?? '0x').gas, 90_000n);
    assert.ok(!node.asked.some(question => question.startsWith('estimateGas')));
    assert.deepEqual(
      done.map(each => (each as string[])[0]),
      ['sign', 'record'],
    );
  });

  test('is recorded with its highest cost in gwei', async () => {
    const {done, transactions} = transactionsOf({tip: 10n ** 10n, bases: [0n]});
    await transactions.begin(call, orderOf(done));
    assert.equal((done[2] as unknown[])[4], 1_000_000);
  });

  test('needs a balance for its gas', async () => {
    const {done, transactions} = transactionsOf({balance: 2_200_000n});
    await transactions.begin(call, orderOf(done));
    const poor = transactionsOf({balance: 2_199_999n});
    await assert.rejects(poor.transactions.begin(call, orderOf(poor.done)), OutOfGas);
    assert.deepEqual(poor.done, []);
  });

  test('is not sent if more than 1,000 wait according to the node', async () => {
    const {done, transactions} = transactionsOf({pending: 1_007});
    await transactions.begin(call, orderOf(done));
    const wrong = transactionsOf({pending: 1_008});
    await assert.rejects(wrong.transactions.begin(call, orderOf(wrong.done)), /says that 1001 transactions of the/);
    assert.deepEqual(wrong.done, []);
  });

  test('of a contract wallet is within the limits of its highest cost', async () => {
    const {done, transactions} = transactionsOf();
    const costs: bigint[] = [];
    const spending = (cost: bigint) => {
      costs.push(cost);
      return Promise.resolve(limits);
    };
    await transactions.begin(call, orderOf(done, {spending}));
    assert.deepEqual(costs, [2_200_000n]);
    assert.deepEqual(done[0], ['reserve for a contract', signer, 'a sale', 7, limits]);
    done.length = 0;
    assert.equal((await transactions.begin(call, orderOf(done, {spending}), 3)).nonce, 3);
    assert.deepEqual(done[0], ['check a contract', signer, 'a sale', limits]);
  });

  for (const [refusal, error] of [
    ['reverted', new PaymentRefused('contract_wallet_transaction_reverted')],
    ['over budget', new PaymentRefused('contract_wallet_gas_budget_exhausted')],
    ['in flight', new Error('another payment of this contract wallet is being settled')],
  ] as const)
    test(`of a contract wallet is not signed if it is ${refusal}`, async () => {
      const {done, transactions} = transactionsOf({}, refusal);
      const order = orderOf(done, {spending: () => Promise.resolve(limits)});
      await assert.rejects(transactions.begin(call, order), error);
      await assert.rejects(transactions.begin(call, order, 3), error);
      assert.equal(done.length, 2);
    });
});

test('a transaction that the node refuses is reported once, until the node accepts one', async () => {
  const {node, done, troubles, transactions} = transactionsOf();
  const refusedWith = async (refusal?: string) => {
    node.refusal = refusal;
    await transactions.begin(call, orderOf(done));
    return troubles.splice(0);
  };
  const line = (refusal: string) => [`The node does not accept a transaction of ${account.address}: ${refusal}`];
  assert.deepEqual(await refusedWith('no room'), line('no room'));
  assert.deepEqual(await refusedWith('no room'), []);
  assert.deepEqual(await refusedWith('too dear'), line('too dear'));
  for (const harmless of ['already known', 'Already imported', 'nonce too low', 'transaction underpriced'])
    assert.deepEqual(await refusedWith(harmless), []);
  assert.deepEqual(await refusedWith('too dear'), []);
  assert.deepEqual(await refusedWith(), []);
  assert.deepEqual(await refusedWith('too dear'), line('too dear'));
});

describe('a transaction that is sent again', () => {
  const sentAgain = async (offered: bigint, base: bigint, isStuck: boolean) => {
    const {node, done, transactions} = transactionsOf({bases: [(offered - 2n) / 2n]});
    const reservation = await transactions.begin(call, orderOf(done));
    done.length = 0;
    node.bases = [base];
    const all = await transactions.resend(reservation, isStuck);
    return {first: node.sent[0], again: node.sent[1], all, done, count: node.sent.length};
  };

  test('is the same if it offers the base fee of the next block', async () => {
    const {first, again, all, done, count} = await sentAgain(22n, 22n, false);
    assert.deepEqual([again, all, done, count], [first, [first], [], 2]);
  });

  for (const [what, base, isStuck, maxFeePerGas] of [
    ['offers less than the base fee', 23n, false, 48n],
    ['is stuck', 10n, true, 25n],
  ] as const)
    test(`is replaced if it ${what}`, async () => {
      const {first, again = '0x', all, done} = await sentAgain(22n, base, isStuck);
      assert.notEqual(again, first);
      assert.deepEqual(all, [first, again]);
      assert.deepEqual(done, [['record', signer, {nonce: 7, transactions: [first]}, again, 1]]);
      const {nonce, to, data, gas, ...offered} = parseTransaction(again);
      assert.deepEqual({nonce, to, data, gas}, {nonce: 7, gas: 100_000n, ...call});
      assert.equal(offered.maxFeePerGas, maxFeePerGas);
    });

  test('is the same if a replacement would offer too much', async () => {
    const {first, again, all} = await sentAgain(2_002n, 1n, true);
    assert.deepEqual([again, all], [first, [first]]);
  });

  test('is not sent without a node or without a transaction', async () => {
    const {node, done, transactions} = transactionsOf();
    const reservation = await transactions.begin(call, orderOf(done));
    assert.deepEqual(await transactions.resend({...reservation, transactions: []}, true), []);
    node.isDown = true;
    assert.deepEqual(await transactions.resend(reservation, true), reservation.transactions);
    assert.equal(node.sent.length, 1);
  });
});

for (const isReserved of [true, false])
  test(`a nonce that is ${isReserved ? '' : 'not '}reserved is filled with a transaction that pays for nothing`, async () => {
    const {node, done, transactions} = transactionsOf();
    await transactions.fill(5, isReserved);
    const [raw = '0x'] = node.sent;
    const {nonce, to, data, gas, value, maxFeePerGas, maxPriorityFeePerGas = 0n} = parseTransaction(raw);
    assert.deepEqual([nonce, to, data, gas, value], [5, signer.address, undefined, 21_000n, undefined]);
    // Only a transaction with both fees above the base fee replaces any unknown one that offers less.
    assert.equal(maxPriorityFeePerGas === maxFeePerGas, !isReserved);
    assert.deepEqual(done, isReserved ? [['record', signer, {nonce: 5, transactions: []}, raw, 1]] : []);
  });

test('the number of used nonces is read four times a second, without waiting for another request', async t => {
  const {node, transactions} = transactionsOf();
  let now = 1_000;
  t.mock.method(performance, 'now', () => now);
  assert.equal(await transactions.count(), 7);
  node.latest = 8;
  now += 249;
  assert.equal(await transactions.count(), 7);
  now += 1;
  assert.equal(await transactions.count(), 8);
  now += 250;
  const slow = transactions.count();
  assert.equal(await transactions.count(), 8);
  assert.equal(await slow, 8);
  assert.deepEqual(node.asked, Array(3).fill(`getTransactionCount ${account.address} latest`));
});

describe('waiting for a nonce', () => {
  test('ends with the receipt of any of its transactions', async t => {
    const {node, waiting, clock} = await wait(t);
    await clock.tickAsync(1_000);
    node.latest = 8;
    node.mined.add('0x02');
    await clock.tickAsync(250);
    assert.equal((await waiting).status, 'fulfilled');
    assert.equal(node.sent.length, 0);
  });

  test('ends without a receipt if another transaction used it, which a node shows for three seconds', async t => {
    const {node, waiting, clock, isOver} = await wait(t);
    node.latest = 8;
    await clock.tickAsync(3_000);
    assert.equal(isOver(), false);
    await clock.tickAsync(500);
    assert.equal(isOver(), true);
    assert.deepEqual(await waiting, {status: 'fulfilled', value: undefined});
  });

  test('does not end without a receipt while the node does not answer', async t => {
    const {node, waiting, clock, isOver} = await wait(t);
    node.latest = 8;
    await clock.tickAsync(500);
    node.isDown = true;
    await clock.tickAsync(60_000);
    assert.equal(isOver(), false);
    node.isDown = false;
    await clock.tickAsync(500);
    assert.deepEqual(await waiting, {status: 'fulfilled', value: undefined});
  });

  test('does not end without a receipt while the node fails for one of its transactions', async t => {
    const {node, waiting, clock, isOver} = await wait(t);
    node.latest = 8;
    node.broken.add('0x02');
    await clock.tickAsync(10_000);
    assert.equal(isOver(), false);
    node.broken.clear();
    node.mined.add('0x02');
    await clock.tickAsync(500);
    assert.notDeepEqual(await waiting, {status: 'fulfilled', value: undefined});
  });

  test('ends after its time', async t => {
    const {waiting, clock} = await wait(t);
    await clock.tickAsync(60_500);
    const outcome = await waiting;
    assert.match(String((outcome as PromiseRejectedResult).reason), /no transaction with the nonce 7 is mined/);
  });

  test('sends it again every five seconds, and replaces it if it has the lowest nonce for 20 seconds', async t => {
    const {node, clock, meanwhile} = await wait(t, {latest: 7});
    await clock.tickAsync(4_750);
    assert.equal(node.sent.length, 0);
    await clock.tickAsync(500);
    assert.equal(node.sent.length, 1);
    await clock.tickAsync(14_900);
    assert.deepEqual([node.sent.length, new Set(node.sent).size], [4, 1]);
    await clock.tickAsync(5_500);
    assert.deepEqual([node.sent.length, new Set(node.sent).size, meanwhile.calls], [5, 2, 0]);
  });

  test('while lower nonces are open does other work, and replaces nothing', async t => {
    const {node, clock, meanwhile} = await wait(t, {latest: 6});
    await clock.tickAsync(30_500);
    assert.equal(new Set(node.sent).size, 1);
    assert.equal(meanwhile.calls, node.sent.length);
    assert.ok(meanwhile.calls >= 5);
  });

  test('counts the age of a reservation of another process', async t => {
    const {node, clock} = await wait(t, {latest: 7}, 21_000);
    await clock.tickAsync(500);
    assert.equal(new Set(node.sent).size, 1);
    assert.notEqual(node.sent[0], '0x02');
    assert.ok(node.sent.length > 0);
  });

  /** Waits for the nonce 7, for which two transactions are sent, with a virtual clock. */
  async function wait(t: TestContext, answers: Partial<StandInNode> = {}, age = 0) {
    const {node, done, transactions} = transactionsOf({latest: 7, ...answers});
    const {transactions: first} = await transactions.begin(call, orderOf(done));
    const clock = install({toFake: ['setTimeout', 'clearTimeout', 'performance']});
    t.after(() => {
      clock.uninstall();
    });
    node.sent.length = 0;
    await clock.tickAsync(1_000);
    const meanwhile = {calls: 0};
    const reservation: Reservation = {
      nonce: 7,
      sale: 'a sale',
      transactions: [...first, '0x02'].reverse() as Hex[],
      age,
    };
    let isOver = false;
    const waiting = Promise.allSettled([
      transactions.wait(reservation, 60_000, () => {
        meanwhile.calls += 1;
        return Promise.reject(new Error('the ledger fails'));
      }),
    ]).then(([outcome]) => {
      isOver = true;
      return outcome;
    });
    return {node, waiting, clock, meanwhile, isOver: () => isOver};
  }
});
