import assert from 'node:assert/strict';
import {after, before, describe, test} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import type {Hex} from 'viem';
import type {LocalChain} from '../../scripts/local-chain/chain.ts';
import {startFacilitator} from '../../scripts/local-chain/facilitator.ts';
import type {Listening} from '../../scripts/local-chain/listen.ts';
import {sharedChain} from '../shared-chain.ts';
import {copiedFrom} from './calldata.ts';
import {canary} from './fixture-site.ts';
import {decoded} from './hand-made.ts';
import {assertSoldOnce, buy, kill, newBuyer, openShop, path, transfersOf} from './shop.ts';

const sibling = '/api/v1/firstlastsame'; // costs the same
const LONG = 20_000_000;

/** Copying payments from the chain gets no document. */
describe('payments that others can read', () => {
  let chain: LocalChain;
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

  async function calldataOf({client}: LocalChain, hash: string | undefined): Promise<Hex> {
    return (await client.getTransaction({hash: hash as Hex})).input;
  }
});
