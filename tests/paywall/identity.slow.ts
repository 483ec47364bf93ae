import assert from 'node:assert/strict';
import {after, afterEach, before, beforeEach, describe, test} from 'node:test';
import {Hono, type Handler} from 'hono';
import {serializeErc6492Signature, zeroHash, type Address, type Hex} from 'viem';
import {generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount} from 'viem/accounts';
import type {Ledger} from '../../paywall/ledger/ledger.ts';
import {openSqlite} from '../../paywall/ledger/sqlite.ts';
import {network, type LocalChain} from '../../scripts/local-chain/chain.ts';
import {startGate} from '../../scripts/local-chain/gate.ts';
import {listen, type Listening} from '../../scripts/local-chain/listen.ts';
import {compile} from '../contracts/solidity.ts';
import {newSale} from '../ledger/new-sale.ts';
import {sharedChain} from '../shared-chain.ts';
import {baseUrl, fixtureSite, type FixtureSite} from './fixture-site.ts';
import {encoded, forge} from './forge.ts';
import {afterDelivery, decoded} from './hand-made.ts';
import {path} from './shop.ts';
import {startStandIn, type StandIn} from './stand-in.ts';

const INVALID = 'invalid_exact_evm_signature';

const asContract = (signature: Hex): Hex => `${signature}${'00'.repeat(31)}`;

/** The facilitator reports every payment as valid, so only the gate checks the signer. */
describe('the signer of a payment', {concurrency: false}, () => {
  let chain: LocalChain;
  let site: FixtureSite;
  let facilitator: StandIn;
  let ledger: Ledger;
  let gate: Listening;
  let owner: PrivateKeyAccount;
  let wallet: Address;

  before(async () => {
    chain = await sharedChain();
    site = await fixtureSite();
  });
  beforeEach(async () => {
    facilitator = await startStandIn();
    ledger = await openSqlite(':memory:');
    owner = privateKeyToAccount(generatePrivateKey());
    wallet = privateKeyToAccount(generatePrivateKey()).address;
    await chain.client.setCode({address: wallet, bytecode: await compile('wallet.sol', 'KeyWallet')});
    const value = `0x${owner.address.slice(2).padStart(64, '0')}` as const;
    await chain.client.setStorageAt({address: wallet, index: zeroHash, value});
  });
  afterEach(async () => {
    await gate.stop();
    await facilitator.stop();
    await ledger.close();
  });
  after(async () => {
    await site.remove();
    await chain.stop();
  });

  test('is the contract at the address, if it accepts 65 bytes', async () => {
    await open(chain.rpcUrl);
    assert.equal((await pay(await signed(wallet, owner))).status, 200);
  });

  test('is the contract to which the account has delegated (EIP-7702), or its own key', async () => {
    await open(chain.rpcUrl);
    const account = privateKeyToAccount(generatePrivateKey());
    await chain.client.setCode({address: account.address, bytecode: `0xef0100${wallet.slice(2)}`});
    const value = `0x${owner.address.slice(2).padStart(64, '0')}` as const;
    await chain.client.setStorageAt({address: account.address, index: zeroHash, value});
    refused(await pay(await signed(account.address, privateKeyToAccount(generatePrivateKey()))));
    assert.equal((await pay(await signed(account.address, owner))).status, 200);
    assert.equal((await pay(await signed(account.address, account))).status, 200);
  });

  test('is not the contract at the address, if it refuses 65 bytes', async () => {
    await open(chain.rpcUrl);
    refused(await pay(await signed(wallet, privateKeyToAccount(generatePrivateKey()))));
    assert.deepEqual(facilitator.submitted, []);
  });

  /** Forged signatures for the address of another account. */
  const forgeries: Readonly<Record<string, (signature: Hex) => Hex>> = {
    'of another key': signature => signature,
    'of a contract wallet': asContract,
    'of a contract wallet that is not deployed yet (ERC-6492)': signature =>
      serializeErc6492Signature({address: `0x${'11'.repeat(20)}`, data: '0x1234', signature}),
  };
  for (const [what, made] of Object.entries(forgeries))
    test(`is not the payer, if the signature is forged as that ${what}: it collects and occupies nothing`, async () => {
      await open(chain.rpcUrl);
      const victim = privateKeyToAccount(generatePrivateKey());
      const sale = newSale({payer: victim.address.toLowerCase(), url: baseUrl + path, network});
      await ledger.start(sale, 'me');
      await ledger.move(sale.key, 'me', {to: 'settled', transaction: '0x1'});
      const thief = privateKeyToAccount(generatePrivateKey());
      refused(await pay(await signed(victim.address, thief, made)));
      assert.equal((await ledger.list({limit: 10})).length, 1);
      refused(await pay(await signed(privateKeyToAccount(generatePrivateKey()).address, thief, made)));
      assert.equal((await ledger.list({limit: 10})).length, 1);
      // The payer itself can collect.
      assert.equal((await pay(await signed(victim.address, victim))).status, 200);
      assert.deepEqual(facilitator.submitted, []);
    });

  for (const [what, answer] of [
    ['with 500', c => c.text('', 500)],
    ['with 429', c => c.text('', 429)],
    ['nothing', () => new Promise<Response>(() => undefined)],
  ] as const satisfies readonly (readonly [what: string, answer: Handler])[])
    test(`is not decided while the node answers ${what}`, async () => {
      await using node = await listen(new Hono().post('*', answer));
      await open(node.url);
      assert.equal((await pay(await signed(wallet, owner))).status, 503);
      assert.deepEqual(facilitator.submitted, []);
    });

  test('is not known of a contract without a node: it buys, and collects nothing', async () => {
    await open();
    const sale = newSale({payer: wallet.toLowerCase(), url: baseUrl + path, network});
    await ledger.start(sale, 'me');
    await ledger.move(sale.key, 'me', {to: 'settled', transaction: '0x1'});
    assert.equal((await pay(await signed(wallet, owner, asContract))).status, 200);
    assert.equal(facilitator.submitted.length, 1);
  });

  test('is not known of a forged payment without a node: it does not keep its victim from buying', async () => {
    await open();
    facilitator.settle = 'drop';
    const victim = privateKeyToAccount(generatePrivateKey());
    assert.equal((await pay(await signed(victim.address, owner, asContract))).status, 503);
    facilitator.settle = 'good';
    assert.equal((await pay(await signed(victim.address, victim))).status, 200);
    assert.equal(new Set(facilitator.submitted).size, 2);
  });

  async function open(rpcUrl?: string): Promise<void> {
    gate = await startGate(site.root, facilitator.url, {ledger, rpcUrl, timeoutMs: 2_000});
  }

  async function signed(
    payer: Address,
    signer: PrivateKeyAccount,
    made: (signature: Hex) => Hex = signature => signature,
  ): Promise<string> {
    const challenge = decoded(await fetch(gate.url + path), 'PAYMENT-REQUIRED');
    await afterDelivery();
    const payload = await forge(challenge, signer, {authorization: {from: payer}});
    const inner = payload['payload'] as {signature: Hex};
    return encoded({...payload, payload: {...inner, signature: made(inner.signature)}});
  }

  function pay(payment: string): Promise<Response> {
    return fetch(gate.url + path, {headers: {'PAYMENT-SIGNATURE': payment}});
  }

  function refused(response: Response): void {
    assert.equal(response.status, 402);
    assert.equal(decoded(response, 'PAYMENT-REQUIRED').error, INVALID);
  }
});
