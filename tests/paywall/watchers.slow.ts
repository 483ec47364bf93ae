import assert from 'node:assert/strict';
import {after, before, describe, test} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {Hono} from 'hono';
import {parseGwei, type Hex} from 'viem';
import {generatePrivateKey, type PrivateKeyAccount} from 'viem/accounts';
import {joinChain, startChain, type Chain} from '../../scripts/local-chain/chain.ts';
import {usdc} from '../../scripts/local-chain/contracts.ts';
import {startFacilitator} from '../../scripts/local-chain/facilitator.ts';
import {listen, type Listening} from '../../scripts/local-chain/listen.ts';
import {receiptOf} from '../../scripts/local-chain/receipt.ts';
import {balanceOf} from '../../scripts/local-chain/token.ts';
import {sharedChain} from '../shared-chain.ts';
import {cancellationOf, copiedFrom, transferOf} from './calldata.ts';
import {canary} from './fixture-site.ts';
import {encoded, forge} from './forge.ts';
import {decoded} from './hand-made.ts';
import {assertSoldOnce, buy, kill, newBuyer, openShop, path, transfersOf, until} from './shop.ts';

const sibling = '/api/v1/firstlastsame'; // costs the same
const LONG = 20_000_000;
const PRICE = 20_000n;

/**
 * Copying payments from the chain gets no document, and a payer who misuses an authorization gets only paid documents.
 */
describe('payments that others can read and payers can cancel', {concurrency: 4}, () => {
  let chain: Chain;
  let facilitator: Listening;
  before(async () => {
    chain = await sharedChain();
    facilitator = await startFacilitator(chain);
  });
  after(async () => {
    await facilitator.stop();
    await chain.stop();
  });

  test('a copied payment gets no document, also if it is sent first, and its payer gets it after a kill during the download', async () => {
    await using shop = await openShop({facilitator, rpcUrl: chain.rpcUrl, length: LONG});
    const buyer = await newBuyer(chain);
    const gate = await shop.start();
    const url = await gate.url;
    let watching: Promise<readonly number[]> | undefined;
    let isOver = false;
    const die = async () => {
      if (watching) return;
      await kill(gate);
      await shop.start(gate);
      const [hash] = await transfersOf(chain, buyer);
      watching = watch(url, await calldataOf(chain, hash), () => isOver);
      await sleep(300);
    };
    const bought = await buy(url + path, buyer, die);
    await sleep(1_000);
    isOver = true;
    const statuses = (await watching) ?? [];
    assert.ok(statuses.length > 20);
    assert.deepEqual(
      statuses.filter(status => status !== 402 && status !== 409),
      [],
    );
    assert.equal(statuses.at(-1), 402);
    await assertSoldOnce(shop, chain, buyer, bought);
  });

  /** Ways in which a payer uses the authorization of a settlement that the facilitator never received. */
  const tricks: Readonly<Record<string, (payment: Payment, buyer: PrivateKeyAccount) => Promise<Hex>>> = {
    'cancels it': ({authorization: {nonce}}, buyer) => cancellationOf(nonce, buyer),
    'pays themselves with its nonce': async ({authorization: {nonce}, challenge}, buyer) =>
      transferOf(await forge(challenge, buyer, {authorization: {to: buyer.address, nonce}})),
  };
  for (const [trick, calldataOf] of Object.entries(tricks))
    test(`a payer who ${trick} gets no document for it, and one for the next`, async () => {
      await using shop = await openShop({facilitator, rpcUrl: chain.rpcUrl});
      const buyer = await newBuyer(chain);
      const gate = await shop.start();
      const url = (await gate.url) + path;
      const challenge = decoded(await fetch(url), 'PAYMENT-REQUIRED');
      const payload = await forge(challenge, buyer);
      const {authorization} = payload['payload'] as Pick<Payment, 'authorization'>;
      shop.between = async (step, ask) => (step === 'settle' ? new Response('', {status: 502}) : ask());
      const show = () => fetch(url, {headers: {'PAYMENT-SIGNATURE': encoded(payload)}});
      assert.equal((await show()).status, 503);
      await send(await calldataOf({authorization, challenge}, buyer));
      assert.equal((await show()).status, 409);
      shop.between = (_, ask) => ask();
      assert.notEqual((await show()).status, 200);
      assert.equal(await balanceOf(chain, buyer.address), 1_000_000n);
      await assertSoldOnce(shop, chain, buyer, await buy(url, buyer));
      assert.equal(await balanceOf(chain, buyer.address), 1_000_000n - PRICE);
      assert.equal((await show()).status, 402);
    });

  test('while the node does not find the settlement, no document is sent and nothing else is charged', async () => {
    let isBlind = true;
    await using node = await listen(
      new Hono().post('*', async c => {
        const body = await c.req.text();
        if (isBlind && body.includes('eth_getLogs'))
          return c.json({jsonrpc: '2.0', id: (JSON.parse(body) as {id: number}).id, result: []});
        return fetch(chain.rpcUrl, {method: 'POST', body, headers: {'Content-Type': 'application/json'}});
      }),
    );
    await using shop = await openShop({facilitator, rpcUrl: node.url});
    const buyer = await newBuyer(chain);
    const gate = await shop.start();
    shop.between = async (step, ask) => {
      const answer = await ask();
      return step === 'settle' ? new Response('', {status: 502}) : answer;
    };
    const buying = buy((await gate.url) + path, buyer);
    await sleep(3_000);
    shop.between = (_, ask) => ask();
    await sleep(3_000);
    assert.equal((await transfersOf(chain, buyer)).length, 1);
    isBlind = false;
    const bought = await buying;
    assert.deepEqual([...new Set(bought.statuses)], [503, 200]);
    await assertSoldOnce(shop, chain, buyer, bought);
  });

  test('a settlement that reverts pays for nothing, whoever shows it, until its payer is good for it', async () => {
    // An account without other transfers.
    await using quiet = await startChain();
    await using settling = await startFacilitator(quiet);
    await using shop = await openShop({facilitator: settling, rpcUrl: quiet.rpcUrl});
    const key = generatePrivateKey();
    const buyer = await newBuyer(quiet, '0.02', key);
    const gate = await shop.start();
    const url = await gate.url;
    const challenge = decoded(await fetch(url + path), 'PAYMENT-REQUIRED');
    // A transfer to another account before the facilitator's, which then fails.
    const away = transferOf(await forge(challenge, buyer, {authorization: {to: usdc}}));
    const reverted = new Promise<Hex>((found, failed) => {
      shop.between = async (step, ask) => {
        if (step !== 'settle') return ask();
        shop.between = (_, ask) => ask();
        await quiet.client.setAutomine(false);
        const answer = ask();
        try {
          const pending = await until(async () => {
            const {pending} = await quiet.client.getTxpoolContent();
            return Object.values(pending).flatMap(each => Object.values(each))[0];
          });
          await quiet.client.sendTransaction({to: usdc, data: away, ...fees});
          found(pending.hash);
        } catch (error) {
          failed(new Error('no transaction replaces it', {cause: error}));
        }
        await quiet.client.mine({blocks: 1});
        await quiet.client.setAutomine(true);
        return answer;
      };
    });
    const buying = buy(url + path, buyer);
    const hash = await reverted;
    assert.equal((await receiptOf(quiet.client, hash)).status, 'reverted');
    let isOver = false;
    const watching = watch(url, await calldataOf(quiet, hash), () => isOver);
    await sleep(2_000);
    await newBuyer(quiet, '0.05', key);
    const bought = await buying;
    await sleep(500);
    isOver = true;
    assert.deepEqual(
      (await watching).filter(status => status !== 402 && status !== 409),
      [],
    );
    await assertSoldOnce(shop, quiet, buyer, bought);
  });

  test('an authorization is over when the chain is past it, and not when our clock is', async () => {
    await using slow = await startChain();
    await using settling = await startFacilitator(slow);
    await using shop = await openShop({facilitator: settling, rpcUrl: slow.rpcUrl});
    const buyer = await newBuyer(slow);
    const gate = await shop.start();
    const url = (await gate.url) + path;
    const validBefore = Math.floor(Date.now() / 1000) + 9;
    const challenge = decoded(await fetch(url), 'PAYMENT-REQUIRED');
    const payment = await forge(challenge, buyer, {authorization: {validBefore: String(validBefore)}});
    // It is sent and mined in time, but the node reports blocks late.
    shop.between = (step, ask) => {
      if (step !== 'settle') return ask();
      shop.between = (_, ask) => ask();
      return slow.client.setAutomine(false).then(ask);
    };
    void fetch(url, {headers: {'PAYMENT-SIGNATURE': encoded(payment)}}).catch(() => undefined);
    await until(async () => ((await slow.client.getTxpoolStatus()).pending > 0 ? true : undefined));
    await kill(gate);
    await shop.start(gate);
    await sleep(validBefore * 1000 + 2_000 - Date.now());
    const buying = buy(url, buyer);
    await sleep(3_000);
    await slow.client.setNextBlockTimestamp({timestamp: BigInt(validBefore - 1)});
    await slow.client.mine({blocks: 1});
    await slow.client.setAutomine(true);
    await assertSoldOnce(shop, slow, buyer, await buying);
  });

  /** Sends a payment that was copied from the chain repeatedly, for both documents of its price. */
  async function watch(url: string, calldata: Hex, isOver: () => boolean): Promise<readonly number[]> {
    const statuses: number[] = [];
    const challenge = decoded(await fetch(url + path), 'PAYMENT-REQUIRED');
    const headers = {'PAYMENT-SIGNATURE': copiedFrom(calldata, challenge)};
    while (!isOver()) {
      for (const document of [path, sibling]) {
        const response = await fetch(url + document, {headers});
        statuses.push(response.status);
        assert.ok(!(await response.text()).includes(canary));
      }
      await sleep(100);
    }
    return statuses;
  }

  async function calldataOf({client}: Chain, hash: string | undefined): Promise<Hex> {
    return (await client.getTransaction({hash: hash as Hex})).input;
  }

  async function send(data: Hex): Promise<void> {
    const {client} = await joinChain(chain.rpcUrl);
    const hash = await client.sendTransaction({to: usdc, data});
    assert.equal((await receiptOf(client, hash)).status, 'success');
  }
});

interface Payment {
  readonly authorization: {readonly nonce: Hex};
  readonly challenge: Parameters<typeof forge>[0];
}

/** Sends a transaction with a higher fee than the waiting ones. */
const fees = {gas: 900_000n, maxFeePerGas: parseGwei('50'), maxPriorityFeePerGas: parseGwei('20')};
