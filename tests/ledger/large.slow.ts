import assert from 'node:assert/strict';
import {describe, test} from 'node:test';
import type {Ledger, Page} from '../../paywall/ledger/ledger.ts';
import {postgresBackend, sqliteBackend, type Store} from './backends.ts';
import {newSale} from './new-sale.ts';

const SALES = 50_000;
const FIRST_AT = 1_700_000_000_000;
/** Rounds of purchases, alternating between the two ledgers. */
const ROUNDS = 2;
const PURCHASES = 100;
const AT_ONCE = 20;
/**
 * Generous, because other programs use this machine too. A missing index costs far more. The best rounds of both are
 * compared.
 */
const LEAST_SHARE = 0.2;

/** SQL for the numbers up to the count of sales and for random text. */
const dialects = {
  'a SQLite file': {
    openBackend: sqliteBackend,
    numbers: `(WITH RECURSIVE up(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM up WHERE i < ${SALES}) SELECT i FROM up) AS numbers`,
    random: 'lower(hex(randomblob(32)))',
  },
  Postgres: {
    openBackend: postgresBackend,
    numbers: `generate_series(1, ${SALES}) AS numbers(i)`,
    random: `md5(i::text) || md5('nonce' || i)`,
  },
} as const;

for (const [name, {openBackend, numbers, random}] of Object.entries(dialects))
  describe(`${SALES} sales in ${name}`, () => {
    test('do not slow down purchases, pages and refunds', async () => {
      await using backend = await openBackend();
      const [empty, full] = [await backend.createStore(), await backend.createStore()];
      const ledgers = [await empty.open(), await full.open()];
      await fill(full, numbers, random);
      const rates: number[][] = [[], []];
      for (let round = 0; round <= ROUNDS; round++)
        for (const [i, ledger] of ledgers.entries()) {
          const rate = await purchasesPerSecond(ledger);
          // The first one warms up.
          if (round > 0) rates[i]?.push(rate);
        }
      const [inEmpty = 0, inFull = 0] = rates.map(of => Math.max(...of));
      console.log(`${name}: ${Math.round(inFull)} purchases a second, and ${Math.round(inEmpty)} in an empty ledger`);
      assert.ok(inFull > LEAST_SHARE * inEmpty, `${inFull} compared with ${inEmpty}`);
      const begin = performance.now();
      await full.run('SELECT sum(length(payload)) FROM sales');
      const allMs = performance.now() - begin;
      const ledger = ledgers[1] as Ledger;
      await pageByPage(ledger, allMs);
      await refundOne(ledger, allMs);
    });
  });

/** Runs purchases with the statements of a gate, and returns the purchases per second. */
async function purchasesPerSecond(ledger: Ledger): Promise<number> {
  const begin = performance.now();
  await Promise.all(
    Array.from({length: AT_ONCE}, async () => {
      for (let i = 0; i < PURCHASES / AT_ONCE; i++) {
        const sale = newSale();
        await ledger.find(sale.key, sale);
        assert.equal(await ledger.start(sale, 'me'), true);
        assert.equal(await ledger.move(sale.key, 'me', {to: 'settled', transaction: '0x1'}, true), true);
        assert.equal(await ledger.move(sale.key, 'me', {to: 'delivered'}), true);
      }
    }),
  );
  return (PURCHASES / (performance.now() - begin)) * 1000;
}

/** Asserts that a page takes less time than reading all sales. */
async function pageByPage(ledger: Ledger, allMs: number): Promise<void> {
  const middle = {startedAt: FIRST_AT + SALES / 2, key: ''};
  for (const [page, length] of [
    [{}, 100],
    [{after: middle}, 100],
    [{states: ['pending', 'settled', 'indeterminate']}, 0],
    [{states: ['indeterminate']}, 0],
    [{notFinal: true}, 100],
    [{notFinal: true, states: ['delivered'], after: middle}, 100],
  ] as const satisfies (readonly [Partial<Page>, number])[]) {
    const begin = performance.now();
    assert.equal((await ledger.list({limit: 100, ...page})).length, length, JSON.stringify(page));
    const took = performance.now() - begin;
    assert.ok(took < allMs, `${JSON.stringify(page)}: ${took} ms, and all in ${allMs} ms`);
  }
}

/** Asserts that recording a refund, which locks the file, does not read many sales. */
async function refundOne(ledger: Ledger, allMs: number): Promise<void> {
  const [sale] = await ledger.list({limit: 1});
  const begin = performance.now();
  assert.equal(await ledger.refund(sale?.key ?? '', '0xaa'), true);
  const took = performance.now() - begin;
  assert.ok(took < allMs, `${took} ms, and all in ${allMs} ms`);
}

/** Fills a ledger with delivered sales. */
async function fill(store: Store, numbers: string, random: string): Promise<void> {
  const {network, asset, payTo, payload, sha256, url} = newSale();
  await store.run(
    `INSERT INTO sales (key, network, asset, payer, pay_to, amount, nonce, valid_before, payload, product, url, sha256,
       as_of, price, later_snapshots, members, redownload_days, facilitator, proven, state, tx, started_at, settled_at, delivered_at, final_at, leased_until)
     SELECT '${network}/${asset}/0x' || substr(random, 25) || '/0x' || random, '${network}', '${asset}',
       '0x' || substr(random, 25), '${payTo}', '20000', '0x' || random, 1780000000, '${payload}', 'silent-feeds', '${url}',
       '${sha256}', '2026-05-01', '$0.02', 0, '[]', 30, 'x402.org', 1, 'delivered', '0x' || random,
       ${FIRST_AT} + i, ${FIRST_AT} + i, ${FIRST_AT} + i, ${FIRST_AT} + i, 0
     FROM (SELECT i, ${random} AS random FROM ${numbers}) AS made`,
  );
}
