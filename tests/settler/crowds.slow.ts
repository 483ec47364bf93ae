import assert from 'node:assert/strict';
import {after, before, describe, test} from 'node:test';
import type {LocalChain} from '../../scripts/local-chain/chain.ts';
import {startPostgres, type PostgresServer} from '../ledger/postgres-server.ts';
import {assertSoldOnce, buy, newBuyer, path} from '../paywall/shop.ts';
import {sharedChain} from '../shared-chain.ts';
import {openSettlerShop} from './settler-shop.ts';

const BUYERS = 20;
const GATES = 2;

describe(`${BUYERS} purchases at once, settled by the gate itself`, () => {
  let chain: LocalChain;
  let postgres: PostgresServer;
  before(async () => {
    chain = await sharedChain();
    postgres = await startPostgres();
  });
  after(async () => {
    await postgres[Symbol.asyncDispose]();
    await chain.stop();
  });

  test(`by ${GATES} over one ledger in Postgres`, async () => {
    await using shop = await openSettlerShop(chain, {ledgerUrl: await postgres.makeDatabase()});
    const urls: string[] = [];
    for (let n = 0; n < GATES; n++) urls.push((await (await shop.start()).url) + path);
    const buyers = await Promise.all(Array.from({length: BUYERS}, () => newBuyer(chain)));
    const bought = await Promise.all(buyers.map((buyer, n) => buy(urls[n % GATES] ?? '', buyer)));
    for (const [n, buyer] of buyers.entries()) await assertSoldOnce(shop, chain, buyer, bought[n] ?? assert.fail());
    const {address} = shop.settler;
    // On a busy machine a nonce can stay unused for seconds, and is then filled with an empty transaction.
    const count = await chain.client.getTransactionCount({address});
    assert.ok(count >= BUYERS && count <= BUYERS * 1.05, `${count} transactions`);
  });
});
