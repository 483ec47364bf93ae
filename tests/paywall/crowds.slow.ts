import assert from 'node:assert/strict';
import {after, before, describe, test} from 'node:test';
import type {LocalChain} from '../../scripts/local-chain/chain.ts';
import {startFacilitator} from '../../scripts/local-chain/facilitator.ts';
import type {Listening} from '../../scripts/local-chain/listen.ts';
import {startPostgres, type PostgresServer} from '../ledger/postgres-server.ts';
import {sharedChain} from '../shared-chain.ts';
import {fixtureSite} from './fixture-site.ts';
import {decoded, paymentFor} from './hand-made.ts';
import {assertSoldOnce, buy, newBuyer, openShop, path, transfersOf, type Between, type Step} from './shop.ts';
import {startWorkerPair} from './worker-pair.ts';

const REQUESTS = 40;

interface Answer {
  readonly success: boolean;
  readonly transaction: string;
}

/** Facilitators. Each test starts its own. */
const facilitators = {
  'that answers a settlement again': () => {
    let good: object | undefined;
    return remembering(async ask => {
      const answer = (await (await ask()).json()) as Answer;
      if (answer.success) good = answer;
      return good ?? answer;
    });
  },
  'that answers pending, then settled': () => {
    let good: object | undefined;
    return remembering(async ask => {
      if (good) return good;
      const answer = (await (await ask()).json()) as Answer;
      if (!answer.success) return answer;
      good = answer;
      return {...answer, success: false, errorReason: 'settlement_pending'};
    });
  },
} satisfies Record<string, () => Between>;

describe(`one payment that is sent ${REQUESTS} times at once buys one document`, () => {
  let chain: LocalChain;
  let facilitator: Listening;
  let postgres: PostgresServer;
  before(async () => {
    chain = await sharedChain();
    facilitator = await startFacilitator(chain);
    postgres = await startPostgres();
  });
  after(async () => {
    await postgres[Symbol.asyncDispose]();
    await facilitator.stop();
    await chain.stop();
  });

  for (const [home, isSeeing, kind] of [
    ['SQLite', false, 'that answers pending, then settled'],
    ['Postgres', true, 'that answers a settlement again'],
  ] as const)
    test(`from two processes over one ledger in ${home}, ${isSeeing ? 'with' : 'without'} a node, by a facilitator ${kind}`, async () => {
      const ledgerUrl = home === 'Postgres' ? await postgres.makeDatabase() : undefined;
      await using shop = await openShop({facilitator, rpcUrl: isSeeing ? chain.rpcUrl : undefined, ledgerUrl});
      shop.between = facilitators[kind]();
      const gates = [await shop.start(), await shop.start()];
      const urls = await Promise.all(gates.map(async ({url}) => (await url) + path));
      const buyer = await newBuyer(chain);
      const bodies = await showAtOnce(urls, await paymentOf(urls[0] ?? '', buyer));
      let statuses: readonly number[] = bodies.map(({status}) => status);
      let text = bodies.find(({status}) => status === 200)?.text;
      assert.ok(statuses.filter(status => status === 200).length <= 1, statuses.join());
      assert.ok(bodies.every(body => body.status === 200 || body.text.length < 10_000));
      // The outcome was not known in time: a client that gets a 503 tries again.
      if (text === undefined) ({text, statuses} = await buy(urls[1] ?? '', buyer));
      await assertSoldOnce(shop, chain, buyer, {text, statuses});
      assert.equal((await shop.sales()).length, 1);
    });

  test('from two isolates over one Durable Object, by a facilitator that answers a settlement again', async () => {
    const site = await fixtureSite();
    await using shop = await openShop({facilitator, rpcUrl: chain.rpcUrl});
    shop.between = facilitators['that answers a settlement again']();
    await using pair = await startWorkerPair(site, shop.facilitatorUrl, chain.rpcUrl);
    const urls = pair.urls.map(url => url + path);
    const buyer = await newBuyer(chain);
    const answers = await showAtOnce(urls, await paymentOf(urls[0] ?? '', buyer));
    let texts = answers.filter(({status}) => status === 200).map(({text}) => text);
    if (texts.length === 0) texts = [(await buy(urls[1] ?? '', buyer)).text];
    assert.deepEqual(texts, [site.files.get(path)]);
    assert.equal((await transfersOf(chain, buyer)).length, 1);
    await site.remove();
  });
});

async function paymentOf(url: string, buyer: Parameters<typeof paymentFor>[1]): Promise<string> {
  return paymentFor(decoded(await fetch(url), 'PAYMENT-REQUIRED'), buyer);
}

function showAtOnce(urls: readonly string[], payment: string) {
  const headers = {'PAYMENT-SIGNATURE': payment};
  const requests = Array.from({length: REQUESTS}, async (_, n) => {
    const response = await fetch(urls[n % urls.length] ?? '', {headers});
    return {status: response.status, text: await response.text()};
  });
  return Promise.all(requests);
}

/** Returns responses to a settlement. Some are made from the response of the real facilitator. */
function remembering(settle: (ask: () => Promise<Response>) => Promise<object>): Between {
  return async (step: Step, ask) => (step === 'settle' ? Response.json(await settle(ask)) : ask());
}
