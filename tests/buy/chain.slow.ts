import assert from 'node:assert/strict';
import {readFile, rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {after, afterEach, before, beforeEach, describe, test} from 'node:test';
import type {PrivateKeyAccount} from 'viem/accounts';
import type {BuyerOptions} from '../../scripts/package/buy.ts';
import {type LocalChain, usdc} from '../../scripts/local-chain/chain.ts';
import {startFacilitator} from '../../scripts/local-chain/facilitator.ts';
import type {Listening} from '../../scripts/local-chain/listen.ts';
import {encoded} from '../paywall/forge.ts';
import {newBuyer, openShop, path, transfersOf, type Shop} from '../paywall/shop.ts';
import {signed, transferOf} from '../paywall/calldata.ts';
import {sharedChain} from '../shared-chain.ts';
import {altering, buyer, newFolder, type Payment} from './stall.ts';

describe('a buyer with a payment that was cut off and is no longer answered, on a real chain,', () => {
  let chain: LocalChain;
  let facilitator: Listening;
  let shop: Shop;
  let url: string;
  let account: PrivateKeyAccount;
  let folder: string;
  const buy = (options: Partial<BuyerOptions> = {}) => buyer({account, folder, ...options}).buy(url, 'softfail3');
  const record = () => join(folder, 'payments.json');
  const payments = async () => (JSON.parse(await readFile(record(), 'utf8')) as {payments: Payment[]}).payments;
  const states = async () => (await payments()).map(({state}) => state);
  /** Changes the payment so that no gate accepts it and it has expired. */
  const spoil = async () => {
    const [payment] = await payments();
    await writeFile(record(), JSON.stringify({payments: [{...payment, header: encoded('{}'), validBefore: 1}]}));
  };
  const hidden = (hide: (answer: Response) => Promise<unknown>) =>
    altering(async (at, answer) => {
      if (at !== path || answer.status !== 200) return answer;
      await hide(answer);
      return fetch(url + path);
    });

  before(async () => {
    chain = await sharedChain();
    facilitator = await startFacilitator(chain);
    shop = await openShop({facilitator, rpcUrl: chain.rpcUrl, length: 16_000_000});
    url = await (await shop.start()).url;
  });
  beforeEach(async () => {
    account = await newBuyer(chain);
    folder = await newFolder();
  });
  afterEach(() => rm(folder, {recursive: true}));
  after(async () => {
    await shop[Symbol.asyncDispose]();
    await facilitator.stop();
    await chain.stop();
  });

  for (const isSeeing of [true, false]) {
    const rpcUrl = () => (isSeeing ? chain.rpcUrl : undefined);
    const eyes = isSeeing ? 'with' : 'without';

    test(`collects a paid document with a proof, ${eyes} a node`, async () => {
      await assert.rejects(buy({fetch: hidden(async ({body}) => body?.cancel())}), /was refused/);
      await spoil();
      const bought = await buy({rpcUrl: rpcUrl()});
      assert.equal(await readFile(join(bought.folder, 'document.json'), 'utf8'), shop.document);
      assert.deepEqual([await transfersOf(chain, account)], [[bought.transaction]]);
      assert.deepEqual(await states(), ['closed']);
    });

    test(`is not charged for a proof if the gate has delivered, ${eyes} a node`, async () => {
      await assert.rejects(buy({fetch: hidden(answer => answer.arrayBuffer())}), /was refused/);
      await spoil();
      await assert.rejects(
        buy({rpcUrl: rpcUrl()}),
        isSeeing
          ? /was paid by 0x[0-9a-f]{64}, and is not delivered\. It is not paid again/
          : /it is not known whether the authorization/,
      );
      assert.equal((await transfersOf(chain, account)).length, 1);
    });
  }

  test('signs proofs that the token refuses at any time', async () => {
    await assert.rejects(buy({fetch: hidden(answer => answer.arrayBuffer())}), /was refused/);
    await spoil();
    let header = '';
    const noting: typeof fetch = (input, init) => {
      header = new Headers(init?.headers).get('PAYMENT-SIGNATURE') ?? header;
      return fetch(input, init);
    };
    await assert.rejects(buy({fetch: noting}), /it is not known whether the authorization/);
    const proof = JSON.parse(Buffer.from(header, 'base64').toString()) as Record<string, unknown>;
    const end = BigInt(signed(proof).authorization.validBefore);
    const calledAt = (time: bigint) =>
      chain.client.call({to: usdc, data: transferOf(proof), blockOverrides: {time}}).then(
        () => 'accepted',
        (error: unknown) => /authorization is \w+( yet valid)?/.exec(String(error))?.[0],
      );
    const answers = await Promise.all([end - 299n, end - 1n, end, end + 1n].map(calledAt));
    const [early, late] = ['authorization is not yet valid', 'authorization is expired'];
    assert.deepEqual(answers, [early, early, early, late]);
  });

  test('pays again, and counts it once, if the node shows that the payment was never charged', async () => {
    await assert.rejects(buy({fetch: input => fetch(input), budget: '$0.02'}), /was refused/);
    await spoil();
    assert.equal((await buy({rpcUrl: chain.rpcUrl, budget: '$0.02'})).kind, 'bought');
    assert.equal((await transfersOf(chain, account)).length, 1);
    assert.deepEqual(await states(), ['unused', 'closed']);
  });

  test('reports that a node belongs to another network, or does not answer', async () => {
    await assert.rejects(buy({fetch: input => fetch(input)}), /was refused/);
    await spoil();
    await assert.rejects(
      buy({rpcUrl: 'http://127.0.0.1:1/key'}),
      /http:\/\/127\.0\.0\.1:1 gave no conclusive answer about a payment/,
    );
  });
});
