import assert from 'node:assert/strict';
import {describe, test, type TestContext} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import type {PaymentPayload, PaymentRequirements} from '@x402/core/types';
import {ExactEvmScheme} from '@x402/evm/exact/facilitator';
import {keccak256, parseAbi, parseTransaction, serializeErc6492Signature, toHex, type Address, type Hex} from 'viem';
import {privateKeyToAccount} from 'viem/accounts';
import {openSqlite} from '../../paywall/ledger/sqlite.ts';
import {keyOf} from '../../paywall/payments/protocol/payment.ts';
import {Settler} from '../../paywall/settler/settler.ts';
import type {PaymentSigner} from '../../paywall/settler/signer.ts';
import {newSale} from '../ledger/new-sale.ts';

const account = privateKeyToAccount(`0x${'11'.repeat(32)}`);
const me = account.address.toLowerCase();
const signer = {network: 'eip155:84532', address: me};
const abi = parseAbi(['function transferWithAuthorization(address from, uint256 value)']);
const [PAYER, TOKEN]: Address[] = [`0x${'b'.repeat(40)}`, `0x${'c'.repeat(40)}`];
const transfer = {address: TOKEN, abi, functionName: 'transferWithAuthorization', args: [PAYER, 7n]} as const;
const requirements = {network: 'eip155:84532', asset: TOKEN} as unknown as PaymentRequirements;
const authorization = {from: PAYER, nonce: `0x${'1'.repeat(64)}`};
const payload = {payload: {signature: '0x5a', authorization}} as unknown as PaymentPayload;
const key = keyOf(requirements, payload.payload as never);

/** The responses of the node. */
const ANSWERS = {
  ...{eth_chainId: '0x14a34', eth_getBalance: toHex(10n ** 18n), eth_maxPriorityFeePerGas: '0x2', eth_getCode: '0x'},
  eth_feeHistory: {oldestBlock: '0x1', baseFeePerGas: ['0xa', '0xa'], gasUsedRatio: [0]},
  ...{
    eth_estimateGas: toHex(80_000n),
    'eth_getTransactionCount latest': '0x7',
    'eth_getTransactionCount pending': '0x7',
  },
  ...{eth_sendRawTransaction: `0x${'0'.repeat(64)}`},
};
type Answers = Partial<Record<keyof typeof ANSWERS, unknown>>;
type Scheme = Readonly<Record<'verify' | 'settle', (signer: PaymentSigner) => Promise<object>>>;

const valid: Scheme = {
  async verify(signer) {
    await signer.getCode({address: PAYER ?? '0x'});
    await signer.readContract(transfer as never);
    return {isValid: true};
  },
  async settle(signer) {
    await signer.getCode({address: PAYER ?? '0x'});
    const transaction = await signer.writeContract(transfer as never);
    return {success: true, transaction, network: 'eip155:84532', payer: PAYER, amount: 'unused'};
  },
};

/** A settler with a ledger in memory and a node that mines all transactions. x402's part is replaced. */
async function settlerOf(
  t: TestContext,
  {answers = {}, scheme = {}, percent}: {answers?: Answers; scheme?: Partial<Scheme>; percent?: number},
) {
  const ledger = await openSqlite(':memory:');
  const asked: string[] = [];
  const sent: Hex[] = [];
  const node: Answers = {...ANSWERS, ...answers};
  t.mock.method(globalThis, 'fetch', (_: string, {body}: {body: string}) => {
    const {method, params} = JSON.parse(body) as {method: string; params: readonly Hex[]};
    const name = method === 'eth_getTransactionCount' ? `${method} ${params[1]}` : method;
    asked.push(name);
    if (method === 'eth_getTransactionCount') assert.equal(params[0]?.toLowerCase(), me);
    if (method === 'eth_sendRawTransaction' && params[0]) {
      sent.push(params[0]);
      node['eth_getTransactionCount latest'] = toHex(Number(node['eth_getTransactionCount latest']) + 1);
    }
    if (method === 'eth_getTransactionReceipt') {
      const isSent = sent.some(transaction => keccak256(transaction) === params[0]);
      return Promise.resolve(
        Response.json({result: isSent ? {transactionHash: params[0], status: '0x1', logs: []} : null}),
      );
    }
    const result = node[name as keyof Answers];
    return result instanceof Error ? Promise.reject(result) : Promise.resolve(Response.json({result}));
  });
  const schemes: unknown[][] = [];
  for (const step of ['verify', 'settle'] as const)
    t.mock.method(ExactEvmScheme.prototype, step, function (this: {signer: PaymentSigner}, ...args: unknown[]) {
      schemes.push([step, ...args]);
      return {...valid, ...scheme}[step](this.signer);
    } as never);
  const troubles: string[] = [];
  const options = {account, ledger, rpcUrl: 'http://node.example', contractGasPercent: percent};
  const settler = new Settler({...options, onTrouble: trouble => troubles.push(trouble)});
  t.after(() => ledger.close());
  return {settler, ledger, node, asked, sent, troubles, schemes};
}

const rejected = (message: string) => () => Promise.reject(new Error(message));
const isContract = {eth_getCode: '0x60'};
const unavailable = {kind: 'unavailable'};
const report = (trouble: string) => [`The settler ${account.address} could not complete a payment: ${trouble}`];
const ofNode = (signer: PaymentSigner) => signer.readContract({...transfer, functionName: 'balanceOf'} as never);

test('has the address of its account as its host, and reports nothing without a listener', async t => {
  const {ledger} = await settlerOf(t, {});
  const settler = new Settler({account, ledger, rpcUrl: 'http://node.example'});
  assert.equal(settler.host, `self ${account.address}`);
});

test('needs gas for a settlement', async t => {
  await (await settlerOf(t, {})).settler.checkGas();
  t.mock.restoreAll();
  const {settler, troubles} = await settlerOf(t, {answers: {eth_getBalance: '0x0'}});
  await assert.rejects(settler.checkGas(), {message: `${account.address} does not have enough gas for a settlement`});
  assert.equal(troubles.length, 1);
  assert.deepEqual(await settler.verify(payload, requirements), unavailable);
});

describe('a payment', () => {
  const cases: readonly [what: string, world: Parameters<typeof settlerOf>[1], verdict: object, trouble?: string][] = [
    ['is valid', {}, {kind: 'valid'}],
    ['of a contract wallet is valid', {answers: isContract}, {kind: 'valid'}],
    [
      'is invalid for the reason of x402',
      {scheme: {verify: () => Promise.resolve({isValid: false, invalidReason: 'insufficient_funds'})}},
      {kind: 'invalid', reason: 'insufficient_funds'},
    ],
    [
      'is invalid without its prose',
      {scheme: {verify: () => Promise.resolve({isValid: false, invalidReason: 'It is poor'})}},
      {kind: 'invalid', reason: 'payment_rejected'},
    ],
    [
      'is invalid if it needs too much gas',
      {answers: {eth_estimateGas: toHex(400_001n)}},
      {kind: 'invalid', reason: 'transaction_needs_too_much_gas'},
    ],
    [
      'on another chain is not verified',
      {answers: {eth_chainId: '0x1'}},
      unavailable,
      'its chain is eip155:1, and the payment is on eip155:84532',
    ],
    [
      'is not verified if x402 mistakes a failure of the node for a fault of the payment',
      {
        answers: {eth_getCode: new Error('it burns')},
        scheme: {
          async verify(signer) {
            await signer.getCode({address: PAYER ?? '0x'});
            return {isValid: false, invalidReason: 'insufficient_funds'};
          },
        },
      },
      unavailable,
      'it burns',
    ],
    [
      'is not verified without an estimate',
      {scheme: {verify: () => Promise.resolve({isValid: true})}},
      unavailable,
      'the transfer was not estimated',
    ],
  ];
  for (const [what, world, verdict, trouble] of cases)
    test(what, async t => {
      const {settler, troubles, sent} = await settlerOf(t, world);
      assert.deepEqual(await settler.verify(payload, requirements), verdict);
      assert.equal(troubles.length, trouble === undefined ? 0 : 1);
      if (trouble !== undefined)
        assert.ok(
          troubles[0]?.startsWith(`The settler ${account.address} could not complete a payment: `) &&
            troubles[0].includes(trouble),
          troubles[0],
        );
      assert.equal(sent.length, 0);
    });

  test('is reported once for the same trouble, until one is verified', async t => {
    let trouble: string | undefined = 'no room';
    const verify = (signer: PaymentSigner) =>
      trouble === undefined ? valid.verify(signer) : Promise.reject(new Error(trouble));
    const {settler, troubles} = await settlerOf(t, {scheme: {verify}});
    const reported = async (now?: string) => {
      trouble = now;
      await settler.verify(payload, requirements);
      return troubles.splice(0);
    };
    assert.deepEqual(await reported('no room'), report('no room'));
    assert.deepEqual(await reported('no room'), []);
    assert.deepEqual(await reported('no time'), report('no time'));
    assert.deepEqual(await reported(), []);
    assert.deepEqual(await reported('no time'), report('no time'));
  });

  test('with a wrapped signature is verified as its contract would see it', async t => {
    const {settler, schemes} = await settlerOf(t, {});
    const signature = serializeErc6492Signature({address: TOKEN ?? '0x', data: '0x1234', signature: '0xabcd'});
    const wrapped = {...payload, payload: {...payload.payload, signature}};
    await settler.verify(wrapped, requirements);
    assert.deepEqual(schemes, [
      ['verify', {...payload, payload: {...payload.payload, signature: '0xabcd'}}, requirements],
    ]);
  });

  for (const [state, reason] of [
    ['reverted', 'contract_wallet_transaction_reverted'],
    ['in flight', undefined],
  ] as const)
    test(`of a contract wallet is refused if its last transaction is ${state}`, async t => {
      const {settler, ledger} = await settlerOf(t, {answers: isContract});
      const sale = newSale();
      const spending = {contract: PAYER ?? '', cost: 1, budget: 9};
      await ledger.start(sale, 'a process');
      await ledger.reserveContractNonce(signer, sale.key, 7, spending);
      await ledger.addTransaction(signer, {nonce: 7, transactions: []}, '0x02', 1);
      if (reason) await ledger.move(sale.key, 'a process', {to: 'pending'});
      const verdict = await settler.verify(payload, requirements);
      assert.deepEqual(verdict, reason ? {kind: 'invalid', reason} : unavailable);
    });

  test('of a contract wallet is refused over the budget, which is reported once until a payment is within it', async t => {
    const {settler, ledger, troubles} = await settlerOf(t, {answers: isContract, percent: 1});
    const verified = () => settler.verify(payload, requirements);
    // A percent of an ether.
    const budget = 10 ** 7;
    await ledger.reserveContractNonce(signer, 'a sale', 7, {contract: '0x1', cost: budget, budget});
    const refusal = {kind: 'invalid', reason: 'contract_wallet_gas_budget_exhausted'};
    assert.deepEqual([await verified(), await verified()], [refusal, refusal]);
    assert.equal(troubles.length, 1);
    assert.match(troubles[0] ?? '', /^Contract wallets have used their gas for today.*FROZEN_MAX_CONTRACT_GAS_PERCENT/);
    await ledger.addTransaction(signer, {nonce: 7, transactions: []}, '0x02', budget - 1);
    assert.deepEqual(await verified(), {kind: 'valid'});
    await ledger.addTransaction(signer, {nonce: 7, transactions: ['0x02']}, '0x02', budget);
    await verified();
    assert.equal(troubles.length, 2);
  });

  test('of a contract wallet may use a fifth of the balance by default', async t => {
    const {settler, ledger} = await settlerOf(t, {answers: isContract});
    const spending = {contract: '0x1', cost: 2 * 10 ** 8 - 1, budget: 10 ** 9};
    await ledger.reserveContractNonce(signer, 'a sale', 7, spending);
    assert.deepEqual(await settler.verify(payload, requirements), {kind: 'valid'});
    await ledger.reserveContractNonce(signer, 'a sale', 7, {...spending, cost: 1});
    assert.equal((await settler.verify(payload, requirements)).kind, 'invalid');
  });
});

test('a payment of a contract wallet is within the budget with its highest cost', async t => {
  // 100,000 units of gas for a thousand gwei, of 100 ether.
  const answers = {...isContract, eth_getBalance: toHex(10n ** 20n), eth_maxPriorityFeePerGas: toHex(10n ** 12n - 20n)};
  const {settler, ledger} = await settlerOf(t, {answers});
  const spending = {contract: '0x1', cost: 2 * 10 ** 10 - 10 ** 8, budget: 10 ** 12};
  await ledger.reserveContractNonce(signer, 'a sale', 7, spending);
  assert.deepEqual(await settler.verify(payload, requirements), {kind: 'valid'});
  await ledger.reserveContractNonce(signer, 'a sale', 7, {...spending, cost: 1});
  assert.equal((await settler.verify(payload, requirements)).kind, 'invalid');
});

const failed = (errorReason: string) => () => Promise.resolve({success: false, errorReason});

describe('a settlement', () => {
  test('sends a transaction with the gas that was estimated before', async t => {
    const {settler, sent, ledger, asked, schemes, troubles} = await settlerOf(t, {});
    await settler.verify(payload, requirements);
    asked.length = 0;
    const settlement = await settler.settle(payload, requirements);
    assert.equal(sent.length, 1);
    const [raw = '0x'] = sent;
    const {to, gas, nonce} = parseTransaction(raw);
    assert.deepEqual([to, gas, nonce], [TOKEN, 100_000n, 7]);
    const receipt = {success: true, transaction: keccak256(raw), network: 'eip155:84532', payer: PAYER};
    assert.deepEqual(settlement, {kind: 'settled', receipt});
    assert.ok(!asked.includes('eth_estimateGas'));
    const [reservation] = await ledger.reservations(signer, {from: 0, limit: 9});
    assert.deepEqual([reservation?.sale, reservation?.transactions], [key, [raw]]);
    assert.deepEqual(schemes[1], ['settle', payload, requirements]);
    assert.deepEqual(troubles, []);
    // The estimate was for one settlement.
    await settler.settle({...payload, payload: {...payload.payload}}, requirements);
    assert.equal(asked.includes('eth_estimateGas'), false);
    const other = {...authorization, nonce: `0x${'2'.repeat(64)}`};
    await settler.settle({...payload, payload: {signature: '0x5a', authorization: other}}, requirements);
    assert.ok(asked.includes('eth_estimateGas'));
  });

  test('stores the estimates of several payments', async t => {
    const {settler, asked} = await settlerOf(t, {});
    const other = {
      ...payload,
      payload: {...payload.payload, authorization: {...authorization, nonce: `0x${'2'.repeat(64)}`}},
    };
    for (const each of [payload, other]) await settler.verify(each, requirements);
    asked.length = 0;
    for (const each of [payload, other]) assert.equal((await settler.settle(each, requirements)).kind, 'settled');
    assert.ok(!asked.includes('eth_estimateGas'));
  });

  test('estimates again if an earlier one failed', async t => {
    let isFirst = true;
    const settle = (signer: PaymentSigner) => {
      const isFailed = isFirst;
      isFirst = false;
      return isFailed ? failed('insufficient_funds')() : valid.settle(signer);
    };
    const {settler, asked} = await settlerOf(t, {scheme: {settle}});
    await settler.verify(payload, requirements);
    await settler.settle(payload, requirements);
    asked.length = 0;
    assert.equal((await settler.settle(payload, requirements)).kind, 'settled');
    assert.ok(asked.includes('eth_estimateGas'));
  });

  test('of a contract wallet estimates again, and counts its gas', async t => {
    const {settler, asked, ledger} = await settlerOf(t, {answers: isContract});
    await settler.verify(payload, requirements);
    asked.length = 0;
    assert.equal((await settler.settle(payload, requirements)).kind, 'settled');
    assert.ok(asked.includes('eth_estimateGas'));
    const spending = {contract: '0x1', cost: 0, budget: 0};
    assert.equal(await ledger.contractRefusal(signer, 'next', spending), 'over budget');
  });

  test('has a receipt without a payer if the response has none', async t => {
    const settle = () => Promise.resolve({success: true, transaction: '0x1', network: 'eip155:84532'});
    const {settler} = await settlerOf(t, {scheme: {settle}});
    const receipt = {success: true, transaction: '0x1', network: 'eip155:84532'};
    assert.deepEqual(await settler.settle(payload, requirements), {kind: 'settled', receipt});
  });

  const afterSending = (end: () => Promise<object>) => async (signer: PaymentSigner) => {
    await signer.writeContract(transfer as never);
    return end();
  };
  const cases: readonly [what: string, world: Parameters<typeof settlerOf>[1], settlement: object, trouble?: string][] =
    [
      [
        'is declined before it is sent',
        {scheme: {settle: failed('insufficient_funds')}},
        {kind: 'declined', reason: 'insufficient_funds'},
      ],
      ['is unknown for another reason', {scheme: {settle: failed('transaction_failed')}}, {kind: 'unknown'}],
      ['is unknown if it was sent', {scheme: {settle: afterSending(failed('insufficient_funds'))}}, {kind: 'unknown'}],
      [
        'is unknown if it fails after it was sent',
        {scheme: {settle: afterSending(rejected('it burns'))}},
        {kind: 'unknown'},
        'it burns',
      ],
      ['is unavailable if it fails before', {scheme: {settle: rejected('it burns')}}, unavailable, 'it burns'],
      [
        'is unavailable on another chain',
        {answers: {eth_chainId: '0x1'}},
        unavailable,
        'its chain is eip155:1, and the payment is on eip155:84532',
      ],
      ['is unavailable without gas', {answers: {eth_getBalance: '0x0'}}, unavailable],
      [
        'is declined if it needs too much gas',
        {answers: {eth_estimateGas: toHex(400_001n)}},
        {kind: 'declined', reason: 'transaction_needs_too_much_gas'},
      ],
      [
        'is unavailable if x402 mistakes a failure of the node for a fault of the payment',
        {
          scheme: {
            settle: async signer => {
              await ofNode(signer).catch(() => undefined);
              return {success: false, errorReason: 'insufficient_funds'};
            },
          },
        },
        unavailable,
        'no answer',
      ],
    ];
  for (const [what, world, settlement, trouble] of cases)
    test(what, async t => {
      const {settler, troubles} = await settlerOf(t, world);
      assert.deepEqual(await settler.settle(payload, requirements), settlement);
      if (trouble === 'no answer') assert.equal(troubles.length, 1);
      else assert.deepEqual(troubles, trouble === undefined ? [] : report(trouble));
    });

  test('continues the transaction that another process sent', async t => {
    const {settler, ledger, sent, node} = await settlerOf(t, {});
    await settler.settle(payload, requirements);
    const [raw = '0x'] = sent;
    assert.equal((await settler.settle(payload, requirements)).kind, 'settled');
    assert.deepEqual(sent, [raw]);
    assert.equal(node['eth_getTransactionCount latest'], '0x8');
    assert.equal((await ledger.reservations(signer, {from: 0, limit: 9})).length, 1);
  });

  test('does not take a filled nonce for its transaction', async t => {
    const {settler, ledger, sent} = await settlerOf(t, {});
    const fill = {
      type: 'eip1559',
      chainId: 84532,
      nonce: 6,
      to: account.address,
      gas: 21_000n,
      maxFeePerGas: 1n,
    } as const;
    const filled = await account.signTransaction(fill);
    await ledger.reserveNonce(signer, key, 6);
    await ledger.addTransaction(signer, {nonce: 6, transactions: []}, filled, 1);
    sent.push(filled); // it is mined, and has a receipt
    const settlement = await settler.settle(payload, requirements);
    const [, own = '0x'] = sent;
    assert.equal(settlement.kind === 'settled' && settlement.receipt.transaction, keccak256(own));
    assert.equal(parseTransaction(own).nonce, 7);
  });

  test('signs another transaction if its nonce was used by one that is not its own', async t => {
    const {settler, ledger, sent} = await settlerOf(t, {});
    await ledger.reserveNonce(signer, key, 6);
    const lost = await account.signTransaction({type: 'eip1559', chainId: 84532, nonce: 6, to: TOKEN, data: '0x01'});
    await ledger.addTransaction(signer, {nonce: 6, transactions: []}, lost, 1);
    const start = performance.now();
    // A thousand times as fast: a receipt may appear seconds after its nonce was counted.
    t.mock.method(performance, 'now', () => start + process.uptime() * 1_000_000);
    const settlement = await settler.settle(payload, requirements);
    const [own = '0x'] = sent;
    assert.equal(settlement.kind === 'settled' && settlement.receipt.transaction, keccak256(own));
    assert.equal(parseTransaction(own).nonce, 7);
  });

  test('waits for its lowest nonce if the node does not count the nonces at first', async t => {
    const {settler, ledger, sent, node} = await settlerOf(t, {});
    const own = {type: 'eip1559', chainId: 84532, to: TOKEN, data: '0x01', gas: 1n} as const;
    for (const nonce of [5, 6]) {
      await ledger.reserveNonce(signer, key, nonce);
      const transaction = await account.signTransaction({...own, nonce});
      await ledger.addTransaction(signer, {nonce, transactions: []}, transaction, 1);
      if (nonce === 5) sent.push(transaction); // only this one has a receipt
    }
    node['eth_getTransactionCount latest'] = new Error('it burns');
    setTimeout(() => (node['eth_getTransactionCount latest'] = '0x7'), 100);
    const settlement = await settler.settle(payload, requirements);
    assert.equal(settlement.kind === 'settled' && settlement.receipt.transaction, keccak256(sent[0] ?? '0x'));
    assert.equal(sent.length, 1);
  });

  test('waits for its lowest nonce that a reorganisation has opened again', async t => {
    const {settler, ledger, sent, node} = await settlerOf(t, {});
    await settler.settle(payload, requirements);
    const [lost = '0x'] = sent;
    await ledger.reserveNonce(signer, key, 8);
    const later = {type: 'eip1559', chainId: 84532, nonce: 8, to: TOKEN, data: '0x01', gas: 1n} as const;
    await ledger.addTransaction(signer, {nonce: 8, transactions: []}, await account.signTransaction(later), 1);
    node['eth_getTransactionCount latest'] = '0x7';
    await new Promise(resolve => setTimeout(resolve, 300)); // the count is cached for a quarter of a second
    const settling = settler.settle(payload, requirements);
    setTimeout(() => (node['eth_getTransactionCount latest'] = '0x8'), 100);
    const settlement = await settling;
    assert.equal(settlement.kind === 'settled' && settlement.receipt.transaction, keccak256(lost));
  });

  test('uses the nonce that another process reserved for it', async t => {
    const {settler, ledger, sent} = await settlerOf(t, {});
    await ledger.reserveNonce(signer, 'another sale', 7);
    await ledger.reserveNonce(signer, key, 7);
    await ledger.reserveNonce(signer, 'another sale', 7);
    const settling = settler.settle(payload, requirements);
    assert.equal(await Promise.race([settling, new Promise(resolve => setTimeout(resolve, 100, 'waits'))]), 'waits');
    assert.equal(parseTransaction(sent[0] ?? '0x').nonce, 8);
  });

  test('signs nothing for its nonce that another transaction used', async t => {
    const {settler, ledger, sent} = await settlerOf(t, {});
    for (const from of [6, 7]) await ledger.reserveNonce(signer, key, from);
    assert.equal((await settler.settle(payload, requirements)).kind, 'settled');
    assert.deepEqual(
      sent.map(raw => parseTransaction(raw).nonce),
      [7],
    );
  });

  for (const before of [6, 9])
    test(`does the work of an ended process while it waits for its nonce, also if it saw ${before} used nonces before`, async t => {
      const {settler, ledger, node, sent} = await settlerOf(t, {
        answers: {'eth_getTransactionCount latest': toHex(before)},
      });
      await settler.rebroadcast();
      // A reorganisation, after the count in the cache is too old to be used.
      node['eth_getTransactionCount latest'] = '0x6';
      await sleep(300);
      for (const sale of ['a sale of an ended process', key]) await ledger.reserveNonce(signer, sale, 7);
      const own = {type: 'eip1559', chainId: 84532, nonce: 8, to: TOKEN, data: '0x01', gas: 1n} as const;
      await ledger.addTransaction(signer, {nonce: 8, transactions: []}, await account.signTransaction(own), 1);
      const read = ledger.reservations.bind(ledger);
      t.mock.method(ledger, 'reservations', async (...page: Parameters<typeof read>) =>
        (await read(...page)).map(each => ({...each, age: 6_000})),
      );
      assert.equal((await settler.settle(payload, requirements)).kind, 'settled');
      assert.ok(sent.some(raw => parseTransaction(raw).nonce === 7));
    });
});

describe('rebroadcasting', () => {
  test('reads the chain only while a transaction is open, and once a minute', async t => {
    const {settler, asked} = await settlerOf(t, {});
    await settler.rebroadcast();
    assert.deepEqual(asked, ['eth_chainId', 'eth_getTransactionCount latest']);
    await settler.rebroadcast();
    assert.equal(asked.length, 2);
    const later = performance.now() + 60_000;
    t.mock.method(performance, 'now', () => later);
    await settler.rebroadcast();
    await settler.rebroadcast();
    assert.deepEqual(asked.slice(2), ['eth_getTransactionCount latest']);
  });

  test('sends a transaction again that the chain took back while none was open', async t => {
    const {settler, ledger, node, sent} = await settlerOf(t, {});
    await ledger.reserveNonce(signer, 'a delivered sale', 6);
    await settler.rebroadcast();
    node['eth_getTransactionCount latest'] = '0x6';
    const later = performance.now() + 60_000;
    t.mock.method(performance, 'now', () => later);
    const read = ledger.reservations.bind(ledger);
    t.mock.method(ledger, 'reservations', async (...page: Parameters<typeof read>) =>
      (await read(...page)).map(each => ({...each, age: 6_000})),
    );
    await settler.rebroadcast();
    assert.deepEqual(
      sent.map(raw => parseTransaction(raw).nonce),
      [6],
    );
  });

  test('reads no reservation of a nonce that the chain has used', async t => {
    const {settler, ledger} = await settlerOf(t, {});
    for (let nonce = 0; nonce < 9; nonce++) await ledger.reserveNonce(signer, `sale ${nonce}`, 0);
    const reads = t.mock.method(ledger, 'reservations');
    await settler.rebroadcast();
    const read = [];
    for (const {result} of reads.mock.calls) read.push(...((await result) ?? []));
    assert.deepEqual(
      read.map(({nonce}) => nonce),
      [7, 8],
    );
  });

  test('fills no nonce that waits in the pool of the node', async t => {
    const {settler, ledger, sent} = await settlerOf(t, {answers: {'eth_getTransactionCount pending': '0x8'}});
    await ledger.reserveNonce(signer, 'a sale', 9);
    await settler.rebroadcast();
    assert.deepEqual(
      sent.map(raw => parseTransaction(raw).nonce),
      [8],
    );
  });

  test('fills a nonce that is missing', async t => {
    const {settler, ledger, sent} = await settlerOf(t, {});
    await ledger.reserveNonce(signer, 'a sale', 9);
    await settler.rebroadcast();
    assert.deepEqual(
      sent.map(raw => parseTransaction(raw).nonce),
      [7, 8],
    );
  });

  test('does nothing after a reorganisation until it has read the reservations again', async t => {
    const {settler, ledger, sent, node} = await settlerOf(t, {});
    await ledger.reserveNonce(signer, 'a sale', 9);
    await settler.rebroadcast();
    sent.length = 0;
    Object.assign(node, {'eth_getTransactionCount latest': '0x5', 'eth_getTransactionCount pending': '0x5'});
    await settler.rebroadcast();
    assert.equal(sent.length, 0);
    await settler.rebroadcast();
    assert.deepEqual(
      sent.map(raw => parseTransaction(raw).nonce),
      [5, 6, 7, 8],
    );
  });
});
