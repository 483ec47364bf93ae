import assert from 'node:assert/strict';
import {describe, test} from 'node:test';
import {zeroAddress, type Hex} from 'viem';
import type {Ledger} from '../../paywall/ledger/ledger.ts';
import {openLedger} from '../../paywall/ledger/open-ledger.ts';
import {usdc} from '../../scripts/local-chain/chain.ts';
import {newSale} from '../ledger/new-sale.ts';
import {payTo} from '../paywall/fixture-site.ts';
import {compile} from '../contracts/solidity.ts';
import {runScript} from '../scripts/script-run.ts';
import {authorization, inOne, mintOf, pay, payers, transferOf, usedOf} from './authorizations.ts';
import {ME, reconciledSite, sell} from './reconciled-site.ts';

const SALES = 500;

describe('the ledger and the chain', () => {
  test(`differ in five of ${SALES} sales, and only these are named`, async () => {
    await using site = await reconciledSite();
    const by = await payers(site.chain, 20);
    const paid = await pay(
      site.chain,
      Array.from({length: SALES + 1}, (_, at) => by[at % by.length] ?? assert.fail()),
    );
    const [unsold, ...sold] = paid;
    const [dear, moved, closed, twin] = sold;
    assert.ok(unsold && dear && moved && closed && twin);
    const forged = newSale({payTo});
    // To another account, plain transfers, and one of zero units with an authorization, which any account can make.
    await pay(site.chain, by.slice(0, 1), usdc);
    await inOne(site.chain, [mintOf(payTo, 20_000n), mintOf(payTo, 1n)]);
    await pay(site.chain, by.slice(0, 1), payTo, '0');
    await site.write(async (ledger, run) => {
      await sell(ledger, sold);
      await sell(ledger, [{sale: forged, transaction: `0x${'ab'.repeat(32)}`}]);
      run(`UPDATE sales SET amount = '30000' WHERE key = '${dear.sale.key}'`);
      run(`UPDATE sales SET tx = '0x${'cd'.repeat(32)}' WHERE key = '${moved.sale.key}'`);
      run(`UPDATE sales SET state = 'unpaid', reason = 'never settled' WHERE key = '${closed.sale.key}'`);
    });
    await site.finish();
    const begin = performance.now();
    const {code, comparison} = await site.reconcile();
    console.log(`${SALES} sales: ${Math.round(performance.now() - begin)} ms`);
    const named = comparison.findings.map(({kind, final, transaction, sale}) => [
      kind,
      final,
      sale?.key ?? transaction,
    ]);
    assert.deepEqual(
      new Set(named),
      new Set([
        ['wrong amount', true, dear.sale.key],
        ['wrong transaction', true, moved.sale.key],
        ['money of a closed sale', true, closed.sale.key],
        ['sale without money', true, forged.key],
        ['money without a sale', true, unsold.transaction],
      ]),
    );
    const {ok, sales, payments, transfers} = comparison;
    assert.deepEqual([code, ok, sales, payments, transfers], [1, false, SALES + 1, SALES + 1, 3]);
  });

  test('differ with a message for each reason', async () => {
    await using site = await reconciledSite();
    const {chain} = site;
    const some = (count: number) => payers(chain, count).then(by => pay(chain, by));
    const [refused, unclear, waiting, held, lapsed, paidBack] = await some(6);
    const [first, elsewhere, doubled] = await some(3);
    assert.ok(refused && unclear && waiting && held && lapsed && paidBack && first && elsewhere && doubled);
    const shared = newSale({payTo});
    await site.write(async (ledger, run) => {
      await ledger.start(refused.sale, ME);
      await ledger.move(refused.sale.key, ME, {to: 'declined', reason: 'unavailable'});
      await ledger.start(unclear.sale, ME);
      await ledger.move(unclear.sale.key, ME, {to: 'indeterminate'});
      await ledger.start(waiting.sale, ME);
      await ledger.move(waiting.sale.key, ME, {to: 'pending'});
      await ledger.start(held.sale, ME);
      run(`UPDATE sales SET leased_until = leased_until + 600000 WHERE key = '${held.sale.key}'`);
      await sell(ledger, [lapsed, paidBack, first, elsewhere, {...first, sale: shared}]);
      run(`UPDATE sales SET state = 'expired' WHERE key = '${lapsed.sale.key}'`);
      run(`UPDATE sales SET pay_to = '${usdc}' WHERE key = '${elsewhere.sale.key}'`);
      await ledger.refund(paidBack.sale.key, paidBack.transaction);
      await sell(ledger, [doubled]);
      await sell(ledger, [{...doubled, sale: {...doubled.sale, key: 'forged', url: 'https://forged.example'}}]);
    });
    await site.finish();
    const {code, comparison} = await site.reconcile();
    assert.equal(comparison.findings.length, 7);
    const kinds = Object.fromEntries(comparison.findings.map(({kind, sale}) => [sale?.key ?? '', kind]));
    assert.deepEqual(kinds, {
      [refused.sale.key]: 'money of a closed sale',
      [unclear.sale.key]: 'money of a closed sale',
      [waiting.sale.key]: 'money of a closed sale',
      [elsewhere.sale.key]: 'wrong payee',
      [paidBack.sale.key]: 'refund not on the chain',
      [shared.key]: 'two sales of one transfer',
      forged: 'two sales of one transfer',
    });
    assert.equal(code, 1);
  });

  test('agree on refunds that the chain shows, each transfer for one sale', async () => {
    await using site = await reconciledSite();
    const {chain} = site;
    const [payer, payee] = await payers(chain, 2);
    assert.ok(payer && payee);
    const paid = await pay(chain, [payer, payer, payer], payee.address);
    const [back] = await pay(chain, [payee], payer.address);
    const [less] = await pay(chain, [payee], payer.address, '19999');
    const [one, same, little] = paid;
    assert.ok(back && less && one && same && little);
    await site.write(async (ledger, run) => {
      await sell(ledger, paid);
      await ledger.refund(one.sale.key, back.transaction);
      // The ledger would refuse this.
      run(`UPDATE sales SET refund_tx = '${back.transaction}' WHERE key = '${same.sale.key}'`);
      await ledger.refund(little.sale.key, less.transaction);
    });
    await site.finish();
    const {comparison} = await site.reconcile();
    const faults = comparison.findings.map(({kind, sale}) => `${kind}: ${sale?.key}`);
    assert.equal(faults.length, 2);
    assert.ok(faults.includes(`refund not on the chain: ${little.sale.key}`));
    assert.ok([one, same].some(({sale}) => faults.includes(`refund not on the chain: ${sale.key}`)));
  });

  test('differ only temporarily for a sale during the reconciliation', async () => {
    await using site = await reconciledSite();
    const {chain} = site;
    const by = await payers(chain, 1);
    await using opened = await openSiteLedger(site.root);
    const over = new AbortController();
    const sellOn = async () => {
      while (!over.signal.aborted)
        for (const {sale, call} of by.map(payer => authorization(payer, payTo, '20000'))) {
          await opened.ledger.start(sale, ME);
          const transaction = await inOne(chain, [call]);
          await opened.ledger.move(sale.key, ME, {to: 'delivered', transaction});
        }
    };
    const selling = sellOn();
    for (let run = 0; run < 3; run++) {
      const {code, findings} = await site.reconcile('--from-block', '0');
      assert.deepEqual([code, findings.filter(each => !each.endsWith('(not final)'))], [0, []]);
    }
    over.abort();
    await selling;
  });

  test('differ if a token emits false events, and an event of another token is not a payment', async () => {
    await using site = await reconciledSite();
    const {chain} = site;
    const liar = `0x${'11'.repeat(20)}` as const;
    await chain.client.setCode({address: liar, bytecode: await compile('liar.sol', 'Liar')});
    const nonce = `0x${'77'.repeat(32)}` as const;
    const payer = `0x${'22'.repeat(20)}` as const;
    const event = (contract: Hex, call: Hex) => ({target: contract, callData: call});
    // Two uses of one authorization, and one before a transfer of the real token from the zero address.
    const lies = [event(liar, usedOf(payer, nonce)), event(liar, transferOf(payer, payTo, 20_000n))];
    await inOne(chain, [...lies, ...lies]);
    await inOne(chain, [event(liar, usedOf(zeroAddress, nonce)), mintOf(payTo, 20_000n)]);
    const sale = newSale({asset: liar, payer, nonce, payTo});
    await site.write(ledger => sell(ledger, [{sale, transaction: nonce}]));
    await site.finish();
    const {comparison, findings} = await site.reconcile();
    assert.deepEqual(findings, ['wrong transaction', 'money without a sale']);
    assert.deepEqual([comparison.payments, comparison.transfers], [2, 1]);
  });

  test('are reported as text, and a node must be named', async () => {
    await using site = await reconciledSite();
    const [paid] = await pay(site.chain, await payers(site.chain, 1));
    assert.ok(paid);
    await site.write(ledger => sell(ledger, [{sale: newSale({payTo}), transaction: paid.transaction}]));
    await site.finish();
    const args = ['--reconcile', '--root', site.root];
    const {out, err, code} = await runScript('sales', args, {FROZEN_RPC_URL: site.chain.rpcUrl});
    const [twice, unsold, verdict, ...more] = out.split('\n');
    assert.match(
      twice ?? '',
      /^✗ two sales of one transfer: its transaction pays for another authorization; 20000 from 0x/,
    );
    assert.match(unsold ?? '', /^✗ money without a sale: to 0x[0-9a-f]{40} in block \d+; 20000 from 0x/);
    assert.match(verdict ?? '', /^not reconciled: eip155:84532, blocks 0 to .*: 1 sale, 1 payment, 2 differences$/);
    assert.deepEqual([more, err, code], [[''], '', 1]);
    const without = await runScript('sales', args, {FROZEN_RPC_URL: ''});
    assert.deepEqual([without.code, without.out], [2, '']);
    assert.match(without.err, /^--reconcile needs a node of the chain\n/);
  });
});

async function openSiteLedger(root: string): Promise<AsyncDisposable & {readonly ledger: Ledger}> {
  const ledger = await openLedger(root);
  return {ledger, [Symbol.asyncDispose]: () => ledger.close()};
}
