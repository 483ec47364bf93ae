import assert from 'node:assert/strict';
import {after, afterEach, before, beforeEach, describe, test} from 'node:test';
import type {Hex} from 'viem';
import {privateKeyToAccount} from 'viem/accounts';
import type {Ledger} from '../../paywall/ledger/ledger.ts';
import type {NewSale, Sale} from '../../paywall/ledger/sale.ts';
import {openSqlite} from '../../paywall/ledger/sqlite.ts';
import {HttpFacilitator} from '../../paywall/payments/facilitator/http-facilitator.ts';
import {openServices} from '../../paywall/payments/open-services.ts';
import {reconcile} from '../../paywall/payments/sales/reconcile.ts';
import {recoverOnNode} from '../../paywall/hosts/recover.ts';
import {startChain, type LocalChain, CONTRACTS} from '../../scripts/local-chain/chain.ts';
import {newSale} from '../ledger/new-sale.ts';
import {authorization, inOne, mintOf, pay, payers, type Payer} from '../sales/authorizations.ts';
import {proxyOf, refusal, type NodeProxy, type Question} from '../sales/node-proxy.ts';
import {cancellationOf} from './calldata.ts';
import {payTo} from './fixture-site.ts';

const SALES = 100;
const ME = 'me';
const MULTICALL = CONTRACTS[1]?.address ?? assert.fail();

/** Reconciliation by the gate, through a proxy that counts the requests to the node. */
describe('open sales that are reconciled with the chain', {concurrency: false}, () => {
  let chain: LocalChain;
  let ledger: Ledger;
  let proxy: NodeProxy;
  let troubles: string[];
  let answer: (question: Question) => Response | undefined;

  before(async () => {
    chain = await startChain();
  });
  beforeEach(async () => {
    ledger = await openSqlite(':memory:');
    answer = () => undefined;
    proxy = await proxyOf(chain.rpcUrl, question => answer(question));
    troubles = [];
  });
  afterEach(async () => {
    await proxy.stop();
    await ledger.close();
  });
  after(() => chain.stop());

  test(`need about as many requests to the node for ${SALES} sales as for 2`, async () => {
    const counts: number[] = [];
    const by = await payers(chain, SALES);
    for (const count of [2, SALES]) {
      const paid = await pay(chain, by.slice(0, count));
      for (const {sale} of paid) await start(sale);
      await compare();
      counts.push(proxy.asked.length);
      const recorded = new Map((await sales()).map(({key, state, transaction}) => [key, [state, transaction]]));
      for (const {sale, transaction} of paid) assert.deepEqual(recorded.get(sale.key), ['settled', transaction]);
      proxy.asked.length = 0;
    }
    console.log(`requests to the node: ${counts.join(' and ')}`);
    assert.ok((counts[1] ?? SALES) <= 2 * (counts[0] ?? 0) + 4, counts.join());
  });

  test('get the outcome that the chain shows', async () => {
    const [payer, other] = await payers(chain, 2);
    assert.ok(payer && other);
    // Several payments in one transaction, between transfers without an authorization.
    const paid = [payer, payer, other].map(each => authorization(each, payTo, '20000'));
    const elsewhere = authorization(payer, other.address, '20000');
    const less = authorization(payer, payTo, '19999');
    const calls = [elsewhere, ...paid, less].flatMap(({call}) => [mintOf(payTo, 20_000n), call]);
    const transaction = await inOne(chain, calls);
    const single = authorization(other, payTo, '20000');
    const second = await inOne(chain, [single.call]);
    const cancelled = authorization(payer, payTo, '20000');
    await inOne(chain, [await cancellationOf(cancelled.sale.nonce as Hex, privateKeyToAccount(payer.key))]);
    const ofPayer = {payer: payer.address.toLowerCase(), payTo};
    const wanted: readonly (readonly [NewSale, Sale['state'], string | null])[] = [
      ...paid.map(({sale}) => [sale, 'settled', transaction] as const),
      [single.sale, 'settled', second],
      [{...elsewhere.sale, payTo}, 'unpaid', null],
      [{...less.sale, amount: '20000'}, 'unpaid', null],
      [cancelled.sale, 'unpaid', null],
      [authorization(payer, payTo, '20000').sale, 'pending', null],
      [newSale({...ofPayer, validBefore: 1_000}), 'unpaid', null],
      // The node belongs to another network.
      [newSale({...ofPayer, network: 'eip155:8453', validBefore: 2 ** 40}), 'pending', null],
      // The nonce of another payer, which that payer used.
      [newSale({...ofPayer, nonce: single.sale.nonce, validBefore: 2 ** 40}), 'pending', null],
    ];
    for (const [sale] of wanted) await start(sale);
    await compare();
    for (const [at, [sale, state, by]] of wanted.entries()) {
      const recorded = await found(sale);
      assert.deepEqual([at, recorded.state, recorded.transaction], [at, state, by]);
    }
  });

  test('are corrected if another transaction than the recorded one paid, and are not read again once that is final', async () => {
    const [payer] = await payers(chain, 1);
    const [one, two] = await pay(chain, [payer ?? assert.fail(), payer ?? assert.fail()]);
    assert.ok(one && two);
    for (const {sale} of [one, two]) {
      await ledger.start(sale, ME);
      await ledger.move(sale.key, ME, {to: 'delivered', transaction: `0x${'ab'.repeat(32)}`});
    }
    await compare();
    for (const {sale, transaction} of [one, two]) {
      const {state, transaction: recorded, finalAt} = await found(sale);
      assert.deepEqual([state, recorded, finalAt], ['delivered', transaction, null]);
    }
    await chain.client.mine({blocks: 100});
    await compare();
    assert.ok((await sales()).every(({finalAt}) => finalAt !== null));
    proxy.asked.length = 0;
    await compare();
    assert.deepEqual(proxy.asked, []);
  });

  test('are pending if a reorganisation takes their payments back, and paid if they return', async () => {
    const by = await payers(chain, 3);
    const before = await chain.client.snapshot();
    const signed = by.map(payer => authorization(payer, payTo, '20000'));
    await inOne(
      chain,
      signed.map(({call}) => call),
    );
    for (const {sale} of signed) await start(sale);
    await compare();
    assert.ok((await sales()).every(({state}) => state === 'settled'));
    await chain.client.revert({id: before});
    await chain.client.mine({blocks: 3, interval: 60});
    await compare();
    assert.ok((await sales()).every(({state, settledAt}) => state === 'pending' && settledAt === null));
    const again = await inOne(
      chain,
      signed.map(({call}) => call),
    );
    await compare();
    for (const {sale} of signed) {
      const {state, transaction: recorded} = await found(sale);
      assert.deepEqual([state, recorded], ['settled', again]);
    }
  });

  test('are found on a chain without Multicall3', async () => {
    const paid = await pay(chain, await payers(chain, 3));
    for (const {sale} of paid) await start(sale);
    const code = (await chain.client.getCode({address: MULTICALL})) ?? '0x';
    await chain.client.setCode({address: MULTICALL, bytecode: '0x'});
    await compare();
    await chain.client.setCode({address: MULTICALL, bytecode: code});
    for (const {sale, transaction} of paid) assert.equal((await found(sale)).transaction, transaction);
  });

  for (const method of ['eth_getBlockByNumber', 'eth_call', 'eth_getLogs', 'eth_getTransactionReceipt'])
    test(`do not change while the node does not answer ${method}`, async () => {
      await startThree();
      answer = question => (question.method === method ? refusal(question, -32005, 'rate limit exceeded') : undefined);
      await compare();
      assert.deepEqual(new Set((await sales()).map(({state}) => state)), new Set(['pending']));
      assert.equal(troubles.length, 1);
      answer = () => undefined;
      await compare();
      const states = (await sales()).map(({state}) => state);
      assert.deepEqual(states.sort(), ['settled', 'settled', 'unpaid']);
    });

  test('change although the receipt for another one is larger than the gate reads', async () => {
    const payer = await startThree();
    await start(newSale({payer: payer.address.toLowerCase(), payTo, validBefore: 1_000}));
    answer = ({method}) => (method === 'eth_getTransactionReceipt' ? new Response(' '.repeat(3_000_000)) : undefined);
    await compare();
    const states = (await sales()).map(({state}) => state);
    assert.deepEqual(states.sort(), ['settled', 'settled', 'unpaid', 'unpaid']);
  });

  test('are not recorded as unpaid if a node has the newest block but not its events', async () => {
    const paid = await pay(chain, await payers(chain, 2));
    for (const {sale} of paid) await start(sale);
    answer = ({id, method}) => (method === 'eth_getLogs' ? Response.json({jsonrpc: '2.0', id, result: []}) : undefined);
    await compare();
    assert.deepEqual(new Set((await sales()).map(({state}) => state)), new Set(['pending']));
  });

  function compare(): Promise<void> {
    const services = openServices({
      ledger,
      facilitator: new HttpFacilitator('http://127.0.0.1:9'),
      rpcUrl: proxy.url,
      recover: recoverOnNode,
      keepAlive: () => undefined,
      onTrouble: trouble => troubles.push(trouble),
    });
    return reconcile(services, {lagMs: -1});
  }

  /** Starts two sales that are paid, and one whose payment went to another account. Returns the payer of the latter. */
  async function startThree(): Promise<Payer> {
    const by = await payers(chain, 2);
    const [payer = assert.fail(), other = assert.fail()] = by;
    const [elsewhere = assert.fail()] = await pay(chain, [payer], other.address);
    for (const {sale} of await pay(chain, by)) await start(sale);
    await start({...elsewhere.sale, payTo});
    return payer;
  }

  async function start(sale: NewSale): Promise<void> {
    assert.ok(await ledger.start({...sale, url: `https://snapshots.example/${sale.key}`}, ME));
    await ledger.move(sale.key, ME, {to: 'pending'});
  }

  function sales(): Promise<Sale[]> {
    return ledger.list({limit: 10 * SALES});
  }

  async function found({key}: NewSale): Promise<Sale> {
    return (await sales()).find(sale => sale.key === key) ?? assert.fail();
  }
});
