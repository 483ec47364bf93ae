import assert from 'node:assert/strict';
import {mkdir, mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, test} from 'node:test';
import {encodeFunctionData, erc20Abi, getAddress, type Address, type Hex} from 'viem';
import {generatePrivateKey, privateKeyToAddress} from 'viem/accounts';
import type {Ledger} from '../../paywall/ledger/ledger.ts';
import Connection from 'libsql';
import {LEDGER_FILE, openLedger} from '../../paywall/ledger/open-ledger.ts';
import {joinChain, type LocalChain, usdc, receiptOf, balanceOf, fundedBuyer} from '../../scripts/local-chain/chain.ts';
import {newSale} from '../ledger/new-sale.ts';
import {sharedChain} from '../shared-chain.ts';
import {sell} from './filled-ledger.ts';
import {run} from './run.ts';

describe('frozen refund', () => {
  let chain: LocalChain;
  let root: string;
  let ledger: Ledger;
  let payee: Address;

  before(async () => {
    chain = await sharedChain();
    root = await mkdtemp(join(tmpdir(), 'refund-'));
    await mkdir(join(root, 'data'));
    await writeFile(join(root, 'data/site.json'), '{}');
    ledger = await openLedger(root);
    payee = await fundedAccount('10');
  });
  after(async () => {
    await ledger.close();
    await chain.stop();
    await rm(root, {recursive: true});
  });

  test('shows how to pay the refund, and the shown call pays it', async () => {
    const {transaction, payer} = await sold();
    const {code, out} = await refund(transaction, '--json');
    assert.equal(code, 0);
    const {refund: reported} = JSON.parse(out) as {refund: {link: string; words: string; call: {to: Hex; data: Hex}}};
    assert.equal(reported.words, '0.02 USDC on Base Sepolia');
    assert.equal(reported.link, `ethereum:${usdc.toLowerCase()}@84532/transfer?address=${payer}&uint256=20000`);
    await send(payee, reported.call.data, reported.call.to);
    assert.equal(await balanceOf(chain, payer as Address), 20_000n);
    const words = (await refund(transaction)).out;
    assert.match(words, /^Refund +0\.02 USDC on Base Sepolia$/m);
    assert.match(words, /^Then record it: add `--paid TRANSACTION --rpc-url URL` to this command\.$/m);
    assert.ok(words.includes(reported.link) && words.includes(reported.call.data) && words.includes(payee));
  });

  test('records a refund on the chain once, and all reports show it', async () => {
    const {transaction, payer, key} = await sold();
    const other = await sold(payer);
    const paid = await pay(payer, 20_000n);
    const {code, out, err} = await refund(transaction, '--paid', paid, '--rpc-url', chain.rpcUrl);
    assert.equal(code, 0, err);
    assert.equal(out, `Recorded: 0.02 USDC on Base Sepolia were refunded to ${payer} by ${paid}.\n`);
    assert.equal((await ledger.find(key, {network: '', payer: '', url: ''})).same?.refund, paid);
    await fails(`was refunded by ${paid} (recorded `, transaction);
    await fails('is recorded as the refund of another sale', other.transaction, '--paid', paid);
    const listed = (await run('sales', '--root', root, '--csv')).out
      .split('\r\n')
      .find(row => row.includes(transaction));
    assert.ok(listed?.includes(',refunded,') && listed.includes(paid));
  });

  test('finds the refund of a sale by its key', async () => {
    const {key, payer} = await sold();
    await pay(payer, 19_999n);
    await fails('has no refund that could be recorded, according to the node', key, '--paid');
    const paid = await pay(payer, 20_000n);
    assert.equal((await refund(key, '--rpc-url', chain.rpcUrl, '--paid')).code, 0);
    assert.equal((await ledger.find(key, {network: '', payer: '', url: ''})).same?.refund, paid);
  });

  test('accepts addresses in capitals', async () => {
    const [{key, payer}, capitals] = [await sold(), (address: string) => `0x${address.slice(2).toUpperCase()}`];
    const ledger = new Connection(join(root, LEDGER_FILE));
    const written = [payer, payee, usdc].map(capitals);
    ledger.prepare('UPDATE sales SET payer = ?, pay_to = ?, asset = ? WHERE key = ?').run(...written, key);
    ledger.close();
    assert.match((await refund(key)).out, /^Refund +0\.02 USDC on Base Sepolia$/m);
    await pay(payer, 20_000n);
    assert.equal((await refund(key, '--rpc-url', chain.rpcUrl, '--paid')).code, 0);
  });

  test('does not record a transaction that is not a refund of that sale', async () => {
    const payer = await fundedAccount('0');
    const early = await pay(payer, 20_000n);
    const {transaction} = await sold(payer);
    const cases = [
      [early, 'was sent before the sale was paid'],
      [transaction, 'does not contain a transfer of the asset'],
      [await pay(payer, 5_000n), 'refunds 0.005 of 0.02 USDC on Base Sepolia: a partial refund is not recorded'],
      [await pay(await fundedAccount('0'), 20_000n), 'does not contain a transfer of the asset'],
      [await pay(payer, 20_000n, await fundedAccount('1')), 'does not contain a transfer of the asset'],
      [await pay(payer, 20_000_000_000n), 'has failed: it moved no money'],
      [`0x${'ab'.repeat(32)}`, 'is not on the chain, or not yet'],
    ] as const;
    for (const [paid, words] of cases) await fails(words, transaction, '--paid', paid);
  });

  test('refuses a node of another chain, and shows no secret in the address of an unavailable one', async () => {
    const {transaction: base} = await sell(ledger, 'delivered', {network: 'eip155:8453', payTo: payee});
    await fails('is on eip155:84532, and the sale is on eip155:8453', base, '--paid', `0x${'ab'.repeat(32)}`);
    const {transaction} = await sold();
    const away = 'http://127.0.0.1:9/v3/SECRET';
    const {code, err} = await run(
      'refund',
      '--root',
      root,
      transaction,
      '--paid',
      `0x${'ab'.repeat(32)}`,
      '--rpc-url',
      away,
    );
    assert.equal(code, 1);
    assert.match(err, /^http:\/\/127\.0\.0\.1:9 does not answer eth_chainId: /);
    assert.ok(!err.includes('SECRET'), err);
  });

  const refund = (...args: string[]) => run('refund', '--root', root, ...args);

  async function fails(words: string, ...args: string[]): Promise<void> {
    const {code, err} = await refund(...args, ...(args.includes('--paid') ? ['--rpc-url', chain.rpcUrl] : []));
    assert.equal(code, 1, args.join(' '));
    assert.ok(err.includes(words), err);
    assert.equal(err.trim().split('\n').length, 1);
  }

  /** Creates a sale with a transaction on the chain. */
  async function sold(from?: string) {
    const payer = (from ?? (await fundedAccount('0'))).toLowerCase();
    const transaction = await send(payee, '0x', payee);
    const sale = newSale({
      asset: usdc.toLowerCase(),
      payer,
      payTo: payee,
      url: `https://snapshots.example/${transaction}`,
    });
    await ledger.start(sale, 'me');
    await ledger.move(sale.key, 'me', {to: 'settled', transaction});
    return {transaction, payer, key: sale.key};
  }

  async function fundedAccount(dollars: string): Promise<Address> {
    const own = await joinChain(chain.rpcUrl);
    const key = generatePrivateKey();
    await fundedBuyer(own, dollars, key);
    return privateKeyToAddress(key);
  }

  function pay(to: string, value: bigint, from = payee): Promise<Hex> {
    return send(
      from,
      encodeFunctionData({abi: erc20Abi, functionName: 'transfer', args: [getAddress(to), value]}),
      usdc,
    );
  }

  async function send(from: Address, data: Hex, to: Address): Promise<Hex> {
    await chain.client.impersonateAccount({address: from});
    await chain.client.setBalance({address: from, value: 10n ** 18n});
    const hash = await chain.client.sendTransaction({account: from, to, data, gas: 200_000n});
    await receiptOf(chain.client, hash);
    return hash;
  }
});
