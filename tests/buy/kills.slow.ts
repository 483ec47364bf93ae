import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {randomInt} from 'node:crypto';
import {readdir, readFile, rm} from 'node:fs/promises';
import {join} from 'node:path';
import {text} from 'node:stream/consumers';
import {after, before, describe, test} from 'node:test';
import {generatePrivateKey} from 'viem/accounts';
import type {LocalChain} from '../../scripts/local-chain/chain.ts';
import {startFacilitator} from '../../scripts/local-chain/facilitator.ts';
import type {Listening} from '../../scripts/local-chain/listen.ts';
import {assertSoldOnce, newBuyer, openShop, type Shop, type Step} from '../paywall/shop.ts';
import {FROZEN} from '../project.ts';
import {sharedChain} from '../shared-chain.ts';
import {newFolder} from './stall.ts';

const DIE_AT = new URL('die-at.js', import.meta.url).href;
/** Less than the number of steps of a purchase. A run tries one at random, because the simulator kills buyers at every step. */
const LAST_STEP = 20;

describe('a buyer that is killed', () => {
  let chain: LocalChain;
  let facilitator: Listening;
  let shop: Shop;
  let url: string;
  before(async () => {
    chain = await sharedChain();
    facilitator = await startFacilitator(chain);
    shop = await openShop({facilitator, rpcUrl: chain.rpcUrl});
    url = await (await shop.start()).url;
  });
  after(async () => {
    await shop[Symbol.asyncDispose]();
    await facilitator.stop();
    await chain.stop();
  });

  test('before some step, and again, has the document when it runs again, for one transfer', async () => {
    const moment = randomInt(1, LAST_STEP);
    const key = generatePrivateKey();
    const account = await newBuyer(chain, '0.05', key);
    const folder = await newFolder();
    const {signal, err} = await start(folder, key, moment).ended;
    assert.equal(signal, 'SIGKILL', `step ${moment}: ${err}`);
    await start(folder, key, randomInt(1, 30)).ended;
    await assertBought(folder, key, account, `step ${moment}`);
  });

  for (const moment of ['before', 'after'] as const)
    test(`${moment} its payment is settled has the document when it runs again`, async () => {
      const key = generatePrivateKey();
      const account = await newBuyer(chain, '0.05', key);
      const folder = await newFolder();
      const first = start(folder, key);
      let isFirst = true;
      shop.between = async (asked: Step, ask) => {
        if (asked !== 'settle' || !isFirst) return ask();
        isFirst = false;
        const answer = moment === 'after' ? await ask() : undefined;
        first.child.kill('SIGKILL');
        await first.ended;
        return answer ?? ask();
      };
      assert.equal((await first.ended).signal, 'SIGKILL');
      await assertBought(folder, key, account);
    });

  async function assertBought(
    folder: string,
    key: string,
    account: Awaited<ReturnType<typeof newBuyer>>,
    message?: string,
  ) {
    const {code, out, err} = await start(folder, key).ended;
    assert.equal(code, 0, `${message ?? ''}: ${err}`);
    const bought = JSON.parse(out) as {folder: string};
    const document = await readFile(join(bought.folder, 'document.json'), 'utf8');
    assert.deepEqual((await readdir(bought.folder)).sort(), ['document.json', 'receipt.json', 'terms.json']);
    await assertSoldOnce(shop, chain, account, {text: document, statuses: []});
    const {payments} = JSON.parse(await readFile(join(folder, 'payments.json'), 'utf8')) as {
      payments: {state: string}[];
    };
    // The gate would also have ignored a second payment, but the buyer sent only one.
    assert.deepEqual(
      payments.map(({state}) => state),
      ['closed'],
      message,
    );
    await rm(folder, {recursive: true});
  }

  function start(folder: string, key: string, dieAt = 0) {
    const args = ['--import', DIE_AT, FROZEN, 'buy', url, 'softfail3', '--folder', folder, '--json'];
    const env = {...process.env, FROZEN_BUYER_KEY: key, DIE_AT: String(dieAt)};
    const child = spawn(process.execPath, args, {env, stdio: ['ignore', 'pipe', 'pipe']});
    const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
    const ended = Promise.all([exited, text(child.stdout), text(child.stderr)]).then(([[code, signal], out, err]) => ({
      code,
      signal,
      out,
      err,
    }));
    return {child, ended};
  }
});
