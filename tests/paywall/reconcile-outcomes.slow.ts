import assert from 'node:assert/strict';
import {test} from 'node:test';
import type {Hex} from 'viem';
import {privateKeyToAccount} from 'viem/accounts';
import type {NewSale, Sale} from '../../paywall/ledger/sale.ts';
import {openSqlite} from '../../paywall/ledger/sqlite.ts';
import {HttpFacilitator} from '../../paywall/payments/facilitator/http-facilitator.ts';
import {openServices} from '../../paywall/payments/open-services.ts';
import {reconcile} from '../../paywall/payments/sales/reconcile.ts';
import {recoverOnNode} from '../../paywall/hosts/recover.ts';
import {startChain} from '../../scripts/local-chain/chain.ts';
import {newSale} from '../ledger/new-sale.ts';
import {authorization, inOne, mintOf, payers} from '../sales/authorizations.ts';
import {cancellationOf} from './calldata.ts';
import {payTo} from './fixture-site.ts';

test('open sales get the outcome that the chain shows', async () => {
  await using chain = await startChain();
  const ledger = await openSqlite(':memory:');
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
  for (const [sale] of wanted) {
    assert.ok(await ledger.start({...sale, url: `https://snapshots.example/${sale.key}`}, 'me'));
    await ledger.move(sale.key, 'me', {to: 'pending'});
  }
  const services = openServices({
    ledger,
    facilitator: new HttpFacilitator('http://127.0.0.1:9'),
    rpcUrl: chain.rpcUrl,
    recover: recoverOnNode,
    keepAlive: () => undefined,
    onTrouble: trouble => assert.fail(trouble),
  });
  await reconcile(services, {lagMs: -1});
  const sales = new Map((await ledger.list({limit: 100})).map(sale => [sale.key, sale]));
  for (const [at, [sale, state, by]] of wanted.entries()) {
    const recorded = sales.get(sale.key) ?? assert.fail();
    assert.deepEqual([at, recorded.state, recorded.transaction], [at, state, by]);
  }
  await ledger.close();
});
