import assert from 'node:assert/strict';
import {stat} from 'node:fs/promises';
import {join} from 'node:path';
import {after, before, describe, test} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {$} from 'zx';
import type {LocalChain} from '../../scripts/local-chain/chain.ts';
import {startFacilitator} from '../../scripts/local-chain/facilitator.ts';
import type {Listening} from '../../scripts/local-chain/listen.ts';
import {startPostgres, type PostgresServer} from '../ledger/postgres-server.ts';
import {sharedChain} from '../shared-chain.ts';
import type {GateProcess} from './gate-process.ts';
import {decoded, paymentFor} from './hand-made.ts';
import {assertSoldOnce, buy, newBuyer, openShop, path, transfersOf, type Between, type Shop} from './shop.ts';

describe('accidents of a gate', {concurrency: 5}, () => {
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

  /** Failures of the ledger. Each function begins one, and returns a function that ends it. */
  const troubles: Readonly<Record<string, (shop: Shop, gate: GateProcess) => Promise<() => Promise<unknown>>>> = {
    'its disk is full': async ({root}, {pid = 0}) => {
      const {size} = await stat(join(root, 'ledger/sales.db-wal'));
      await quiet`prlimit --pid ${pid} --fsize=${size}:`;
      return () => quiet`prlimit --pid ${pid} --fsize=unlimited:`;
    },
    'Postgres is down': async () => {
      await postgres.stop();
      return () => postgres.start();
    },
  };
  for (const [trouble, begin] of Object.entries(troubles))
    test(`while ${trouble} nothing is sold or charged, paid documents can still be collected later, and sales resume by themselves`, async () => {
      const ledgerUrl = trouble.startsWith('Postgres') ? await postgres.makeDatabase() : undefined;
      await using shop = await openShop({facilitator, rpcUrl: chain.rpcUrl, ledgerUrl});
      const gate = await shop.start();
      const url = (await gate.url) + path;
      const [early, unlucky, late] = [await buyer(), await buyer(), await buyer()];
      await assertSoldOnce(shop, chain, early, await buy(url, early));

      // The failure begins after a sale is started and before its outcome is recorded.
      const begun = new Promise<() => Promise<unknown>>((resolve, reject) => {
        shop.between = async (step, ask) => {
          if (step === 'settle') await begin(shop, gate).then(resolve, reject);
          return ask();
        };
      });
      const unluckily = buy(url, unlucky);
      const end = await begun;
      let settlements = 0;
      shop.between = (step, ask) => {
        if (step === 'settle') settlements += 1;
        return ask();
      };
      for (let n = 0; n < 3; n++) {
        const payment = await paymentFor(decoded(await fetch(url), 'PAYMENT-REQUIRED'), late);
        const response = await fetch(url, {headers: {'PAYMENT-SIGNATURE': payment}});
        assert.equal(response.status, 503);
        assert.match(response.headers.get('Retry-After') ?? '', /^\d+$/);
      }
      assert.equal((await fetch(new URL('/api/v1/index.json', url))).status, 200);
      assert.equal(settlements, 0);
      assert.equal((await transfersOf(chain, late)).length, 0);
      const lately = buy(url, late);
      await sleep(1_000);
      await end();
      await assertSoldOnce(shop, chain, unlucky, await unluckily);
      await assertSoldOnce(shop, chain, late, await lately);
      assert.match(gate.written.err, /^The ledger cannot be used, so nothing is sold: [^\n]+$/m);
    });

  test('a clock that is 10 minutes ahead refuses payments, and charges nothing, until it is right', async () => {
    await using shop = await openShop({facilitator, rpcUrl: chain.rpcUrl});
    let questions = 0;
    shop.between = (_, ask) => {
      questions += 1;
      return ask();
    };
    const gate = await shop.start(undefined, {
      env: {NODE_OPTIONS: `--import=data:text/javascript,${wrongClock}`},
    });
    const payer = await buyer();
    const url = (await gate.url) + path;
    const buying = buy(url, payer);
    await sleep(3_000);
    assert.equal(questions, 0);
    gate.signal('SIGUSR2');
    const bought = await buying;
    assert.deepEqual(new Set(bought.statuses), new Set([402, 200]));
    await assertSoldOnce(shop, chain, payer, bought);
  });

  test('if the log is no longer read, the process completes current purchases and ends with a failure code', async () => {
    await using shop = await openShop({facilitator, rpcUrl: chain.rpcUrl});
    const gate = await shop.start();
    const url = (await gate.url) + path;
    const payer = await buyer();
    const asked = new Promise<void>(resolve => {
      shop.between = async (step, ask) => {
        if (step === 'settle') resolve();
        if (step === 'settle') await sleep(2_000);
        return ask();
      };
    });
    const buying = buy(url, payer);
    await asked;
    gate.closeOutput();
    await fetch(url);
    const bought = await buying;
    assert.deepEqual(bought.statuses, [200]);
    assert.equal(await gate.exitCode, 1);
    await assertSoldOnce(shop, chain, payer, bought);
  });

  test('the outcome of a settlement that takes 5 seconds is in the ledger before SIGTERM ends the process', async () => {
    await using shop = await openShop({facilitator, rpcUrl: chain.rpcUrl});
    const gate = await shop.start();
    const payer = await buyer();
    const settling = new Promise<void>(resolve => {
      shop.between = (step, ask) => {
        if (step === 'settle') resolve();
        return heldBack(5_000)(step, ask);
      };
    });
    const buying = buy((await gate.url) + path, payer);
    await settling;
    gate.signal('SIGTERM');
    assert.equal(await gate.exitCode, 0);
    const [sale] = await shop.sales(payer);
    assert.equal(sale?.state, 'delivered');
    shop.between = (_, ask) => ask();
    await shop.start(gate);
    await assertSoldOnce(shop, chain, payer, await buying);
  });

  const buyer = () => newBuyer(chain);
});

const quiet = $({quiet: true});

/** Settles immediately, and responds later. */
function heldBack(ms: number): Between {
  return async (step, ask) => {
    const answer = await ask();
    if (step === 'settle') await sleep(ms);
    return answer;
  };
}

/** A program that sets the clock of its process ahead until it receives SIGUSR2. */
const wrongClock = encodeURIComponent(
  `
    const right = Date.now;
    let ahead = 600_000;
    Date.now = () => right() + ahead;
    globalThis.Date = class extends Date {
      constructor(...parts) { parts.length ? super(...parts) : super(Date.now()); }
    };
    process.on('SIGUSR2', () => { ahead = 0; });
  `.replace(/\s+/g, ' '),
);
