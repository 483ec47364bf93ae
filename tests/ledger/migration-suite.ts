import assert from 'node:assert/strict';
import {after, before, beforeEach, describe, test} from 'node:test';
import type {Home, Homes, Place} from './homes.ts';
import {versions} from '../../paywall/ledger/schema.ts';
import {newSale} from './new-sale.ts';

/** What a later program might do. */
const STEPS = [['ALTER TABLE sales ADD COLUMN refund TEXT', `UPDATE sales SET refund = 'none'`]];
const SALES = 25;
/** In one line, without a stack. */
const NEWER = new RegExp(
  `^(SiteError: |Error: )?[^\\n]*the ledger has version ${versions.length + 1}, and this program reads version ${versions.length}: use a newer program$`,
);

/** Tests every home alike. */
export function testMigrations(homes: Homes): void {
  for (const [name, makeHome] of Object.entries(homes))
    describe(`the versions of a ledger in ${name}`, () => {
      let home: Home;
      let place: Place;
      before(async () => {
        home = await makeHome();
      });
      after(() => home[Symbol.asyncDispose]());
      beforeEach(async () => {
        place = await home.makePlace();
        const ledger = await place.open();
        await Promise.all(Array.from({length: SALES}, () => ledger.start(newSale(), 'me')));
      });
      const everything = () => place.run('SELECT * FROM sales ORDER BY key');
      const version = async () =>
        (await place.run('SELECT version FROM ledger_version')).map(row => Number(row['version']));

      test('a later one keeps all that is in it', async () => {
        const former = await everything();
        assert.equal(former.length, SALES);
        await place.upgrade(STEPS);
        assert.deepEqual(
          await everything(),
          former.map(row => ({...row, refund: 'none'})),
        );
        assert.deepEqual(await version(), [versions.length + 1]);
      });

      test('the states of version 8 get their new names', async () => {
        const old = await home.makePlace();
        // The object can only be opened.
        if (old.address === undefined) return;
        const names = {
          claimed: 'pending',
          refused: 'declined',
          unclear: 'indeterminate',
          lapsed: 'expired',
          settled: 'settled',
        };
        for (const statement of versions.slice(0, 8).flat()) await old.run(statement);
        await old.run('CREATE TABLE ledger_version (version BIGINT NOT NULL)');
        await old.run('INSERT INTO ledger_version VALUES (8)');
        for (const state of Object.keys(names))
          await old.run(
            `INSERT INTO sales (key, network, asset, payer, pay_to, amount, nonce, valid_before, payload, product, url, sha256, as_of,
               price, facilitator, state, claimed_at, settled_at, held_until)
             VALUES ('${state}', 'eip155:84532', '0x1', '${state}', '0x2', '1', '0x3', 1, '{}', 'p', 'https://a/p', 'ab', 'then',
               '$0.01', 'f', '${state}', 17, 18, 0)`,
          );
        const ledger = await old.open();
        const sales = await ledger.list({limit: 10});
        assert.deepEqual(Object.fromEntries(sales.map(({key, state}) => [key, state])), names);
        assert.ok(sales.every(({startedAt, settledAt}) => startedAt === 17 && settledAt === 18));
        const owner = {network: 'eip155:84532', payer: 'claimed', url: 'https://a/p'};
        assert.equal((await ledger.find('another', owner)).open?.key, 'claimed');
        assert.equal((await ledger.lease('claimed', 'me', ['pending']))?.key, 'claimed');
      });

      test('two processes that bring it up to date at once do so once', async () => {
        await Promise.all([place.upgrade(STEPS), place.upgrade(STEPS), place.upgrade(STEPS)]);
        assert.deepEqual(await version(), [versions.length + 1]);
        assert.equal((await everything()).length, SALES);
      });

      test('what cannot be brought up to date stays as it was', async () => {
        const former = await everything();
        await assert.rejects(place.upgrade([[...(STEPS[0] ?? []), 'UPDATE nothing SET refund = 1']]));
        assert.deepEqual(await everything(), former);
        assert.deepEqual(await version(), [versions.length]);
      });

      test('a newer one is refused and stays as it was', async () => {
        await place.upgrade(STEPS);
        const former = await everything();
        await assert.rejects(place.open(), ({message}: Error) => NEWER.test(message));
        // The object lets nobody look.
        if (place.address === undefined) return;
        assert.deepEqual(await everything(), former);
        assert.deepEqual(await version(), [versions.length + 1]);
      });
    });
}
