import assert from 'node:assert/strict';
import {after, afterEach, before, beforeEach, describe, test} from 'node:test';
import {serializeErc6492Signature, zeroHash, type Address, type Hex} from 'viem';
import {generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount} from 'viem/accounts';
import type {Ledger} from '../../paywall/ledger/ledger.ts';
import {openSqlite} from '../../paywall/ledger/sqlite.ts';
import {network, type LocalChain} from '../../scripts/local-chain/chain.ts';
import {startGate} from '../../scripts/local-chain/gate.ts';
import type {Listening} from '../../scripts/local-chain/listen.ts';
import {compile} from '../contracts/solidity.ts';
import {newSale} from '../ledger/new-sale.ts';
import {sharedChain} from '../shared-chain.ts';
import {baseUrl, fixtureSite, type FixtureSite} from './fixture-site.ts';
import {encoded, forge} from './forge.ts';
import {afterDelivery, decoded} from './hand-made.ts';
import {path} from './shop.ts';
import {startStandIn, type StandIn} from './stand-in.ts';

const INVALID = 'invalid_exact_evm_signature';

const stranger = () => privateKeyToAccount(generatePrivateKey());

/** The facilitator reports every payment as valid, so only the gate checks the signer. */
describe('the signer of a payment', () => {
  let chain: LocalChain;
  let site: FixtureSite;
  let facilitator: StandIn;
  let ledger: Ledger;
  let gate: Listening;
  /** The owner of the contracts. */
  let owner: PrivateKeyAccount;
  let account: PrivateKeyAccount;

  before(async () => {
    chain = await sharedChain();
    site = await fixtureSite();
  });
  beforeEach(async () => {
    facilitator = await startStandIn();
    ledger = await openSqlite(':memory:');
    [owner, account] = [stranger(), stranger()];
    gate = await startGate(site.root, facilitator.url, {ledger, rpcUrl: chain.rpcUrl});
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

  /** The account that the payment names, and the signer. */
  const signers: Readonly<
    Record<string, readonly [payer: () => Promise<Address>, signer: () => PrivateKeyAccount, isPayer: boolean]>
  > = {
    'the contract at the address, if it accepts 65 bytes': [contract, () => owner, true],
    'not the contract at the address, if it refuses 65 bytes': [contract, stranger, false],
    'the contract to which the account has delegated (EIP-7702)': [delegated, () => owner, true],
    'the key of an account that has delegated': [delegated, () => account, true],
    'not another key than that of an account that has delegated': [delegated, stranger, false],
  };
  for (const [what, [payer, signer, isPayer]] of Object.entries(signers))
    test(`is ${what}`, async () => {
      const answer = await pay(await signed(await payer(), signer()));
      if (isPayer) assert.equal(answer.status, 200);
      else refused(answer);
      assert.equal(facilitator.submitted.length, isPayer ? 1 : 0);
    });

  /** Forged signatures for the address of another account. */
  const forgeries: Readonly<Record<string, (signature: Hex) => Hex>> = {
    'of another key': signature => signature,
    'of a contract wallet': signature => `${signature}${'00'.repeat(31)}`,
    'of a contract wallet that is not deployed yet (ERC-6492)': signature =>
      serializeErc6492Signature({address: `0x${'11'.repeat(20)}`, data: '0x1234', signature}),
  };
  for (const [what, made] of Object.entries(forgeries))
    test(`is not the payer, if the signature is forged as that ${what}: it collects and occupies nothing`, async () => {
      const sale = newSale({payer: account.address.toLowerCase(), url: baseUrl + path, network});
      await ledger.start(sale, 'me');
      await ledger.move(sale.key, 'me', {to: 'settled', transaction: '0x1'});
      refused(await pay(await signed(account.address, stranger(), made)));
      refused(await pay(await signed(stranger().address, stranger(), made)));
      assert.equal((await ledger.list({limit: 10})).length, 1);
      // The payer itself can collect.
      assert.equal((await pay(await signed(account.address, account))).status, 200);
      assert.deepEqual(facilitator.submitted, []);
    });

  /** Deploys a wallet that accepts signatures of its owner. */
  async function contract(): Promise<Address> {
    const {address} = stranger();
    await deploy(address, await compile('wallet.sol', 'KeyWallet'));
    return address;
  }

  /** Delegates the account to such a wallet, whose owner is another one. */
  async function delegated(): Promise<Address> {
    await deploy(account.address, `0xef0100${(await contract()).slice(2)}`);
    return account.address;
  }

  async function deploy(address: Address, bytecode: Hex): Promise<void> {
    await chain.client.setCode({address, bytecode});
    const value = `0x${owner.address.slice(2).padStart(64, '0')}` as const;
    await chain.client.setStorageAt({address, index: zeroHash, value});
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
