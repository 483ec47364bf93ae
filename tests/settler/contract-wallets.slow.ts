import assert from 'node:assert/strict';
import {after, before, describe, test} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {formatEther, pad, parseTransaction, toHex, type Address, type Hex} from 'viem';
import {generatePrivateKey, privateKeyToAccount} from 'viem/accounts';
import {startChain, type LocalChain} from '../../scripts/local-chain/chain.ts';
import {compile} from '../contracts/solidity.ts';
import {encoded, forge} from '../paywall/forge.ts';
import {decoded} from '../paywall/hand-made.ts';
import type {GateProcess} from '../paywall/gate-process.ts';
import {assertSoldOnce, buy, kill, newBuyer, path} from '../paywall/shop.ts';
import {nodeFront, type NodeFront} from './node-front.ts';
import {openSettlerShop, type SettlerShop} from './settler-shop.ts';

const SEND = 'eth_sendRawTransaction';
const OTHER = '/api/v1/firstlastsame';
const WALLETS = 10;
const REVERTED = 'contract_wallet_transaction_reverted';
const OVER_BUDGET = 'contract_wallet_gas_budget_exhausted';
const ETHER = 10n ** 18n;
/** Verifies the payments of all wallets at the same time, although one client sends them. */
const AT_ONCE = {FROZEN_MAX_CONTRACT_VERIFICATIONS: '64', FROZEN_MAX_CONTRACT_VERIFICATIONS_PER_CLIENT: '64'};

describe('a gate that settles by itself, and contract wallets', {concurrency: false}, () => {
  let chain: LocalChain;
  let code: Hex;
  let shop: SettlerShop;
  let gate: GateProcess;
  /** Between the gates of the shop and the chain. */
  let front: NodeFront;
  before(async () => {
    chain = await startChain();
    code = await compile('hostile-wallet.sol', 'HostileWallet');
    front = await nodeFront(chain);
    shop = await openSettlerShop(chain, {rpcUrl: front.url});
    gate = await shop.start();
  });
  after(async () => {
    await shop[Symbol.asyncDispose]();
    await front[Symbol.asyncDispose]();
    await chain.stop();
  });

  for (const [what, slots, reason] of [
    ['fails if gas has its price', [2], 'invalid_exact_evm_transaction_simulation_failed'],
    ['burns more gas than a sale may cost', [0, 600_000], 'transaction_needs_too_much_gas'],
  ] as const)
    test(`refuses, before a sale is recorded, a payment whose signature check ${what}`, async () => {
      refused(await pay(await gate.url, await deployed(...slots)), reason);
      assert.deepEqual([await shop.sales(), await mined(shop.settler.address)], [[], 0]);
    });

  test('refuses a contract wallet for a day whose transaction was reverted, in all gates over one ledger', async () => {
    const second = await shop.start();
    const [wallet, honest] = [await deployed(), await deployed()];
    revertWhenSent(front);
    assert.equal((await pay(await gate.url, wallet)).status, 503);
    assert.deepEqual(
      (await shop.sales()).map(({state}) => state),
      ['pending'],
    );
    front.onItsWay = (_, ask) => ask();
    await set(wallet, 0);
    refused(await pay(await gate.url, wallet, OTHER), REVERTED);
    refused(await pay(await second.url, wallet, OTHER), REVERTED);
    await kill(gate);
    const again = await shop.start(gate);
    refused(await pay(await again.url, wallet, OTHER), REVERTED);
    assert.equal(await mined(shop.settler.address), 1);
    assert.equal((await pay(await again.url, honest, OTHER)).status, 200);
  });

  test(`spends no more than the budget on ${WALLETS} wallets that revert, and sells to keys`, async () => {
    await using front = await nodeFront(chain);
    await using shop = await openSettlerShop(chain, {rpcUrl: front.url, gas: '0.2'});
    const {url} = await shop.start(undefined, {env: {...AT_ONCE, FROZEN_MAX_CONTRACT_GAS_PERCENT: '1'}});
    const wallets = await Promise.all(Array.from({length: WALLETS}, () => deployed(0, 200_000)));
    revertWhenSent(front);
    const answers = await Promise.all(wallets.map(async wallet => pay(await url, wallet)));
    const sent = await mined(shop.settler.address);
    const gas = (2n * ETHER) / 10n;
    const spent = gas - (await chain.client.getBalance(shop.settler));
    console.log(`${sent} of ${WALLETS} transactions were sent, for ${formatEther(spent)} of 0.2 ether`);
    assert.ok(sent > 0 && sent < WALLETS, `${sent} transactions`);
    assert.ok(spent <= gas / 100n, `${spent} wei`);
    assert.equal(answers.filter(({status}) => status === 503).length, sent);
    for (const answer of answers) if (answer.status !== 503) refused(answer, OVER_BUDGET);
    const buyer = await newBuyer(chain);
    await assertSoldOnce(shop, chain, buyer, await buy((await url) + path, buyer));
  });

  /** Creates a wallet with a dollar and these values in its first storage slots. */
  async function deployed(mode = 0, burned = 0): Promise<Address> {
    const {address} = await newBuyer(chain);
    await chain.client.setCode({address, bytecode: code});
    await set(address, mode);
    await chain.client.setStorageAt({address, index: 1, value: pad(toHex(burned))});
    return address;
  }

  function set(address: Address, mode: number): Promise<void> {
    return chain.client.setStorageAt({address, index: 0, value: pad(toHex(mode))});
  }

  /** Changes the wallet, as its owner could, between the simulation of a transaction by the settler and its sending. */
  function revertWhenSent(front: NodeFront): void {
    front.onItsWay = async (method, ask, params) => {
      // The first argument of `transferWithAuthorization`.
      if (method === SEND) await set(`0x${parseTransaction(params[0] as Hex).data?.slice(34, 74)}`, 1);
      return ask();
    };
  }

  async function pay(url: string, wallet: Address, document = path): Promise<Response> {
    const challenge = decoded(await fetch(url + document), 'PAYMENT-REQUIRED');
    const owner = privateKeyToAccount(generatePrivateKey());
    const signature = `0x${'ab'.repeat(66)}`;
    const payment = await forge(challenge, owner, {authorization: {from: wallet}, payload: {signature}});
    const answer = await fetch(url + document, {headers: {'PAYMENT-SIGNATURE': encoded(payment)}});
    await answer.arrayBuffer();
    await sleep(50);
    return answer;
  }

  function refused(answer: Response, reason: string): void {
    assert.deepEqual([answer.status, decoded(answer, 'PAYMENT-REQUIRED').error], [402, reason]);
  }

  function mined(address: Address): Promise<number> {
    return chain.client.getTransactionCount({address});
  }
});
