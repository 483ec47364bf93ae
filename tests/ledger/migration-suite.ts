import assert from 'node:assert/strict';
import {after, before, beforeEach, describe, test} from 'node:test';
import type {Backend, Backends, Store} from './backends.ts';
import {versions} from '../../paywall/ledger/schema.ts';
import {newSale} from './new-sale.ts';

/** Possible steps of a later version of the program. */
const STEPS = [['ALTER TABLE sales ADD COLUMN refund TEXT', `UPDATE sales SET refund = 'none'`]];
const SALES = 25;
/** The error in one line, without a stack. */
const NEWER = new RegExp(
  `^(SiteError: |Error: )?[^\\n]*the ledger has version ${versions.length + 1}, and this program reads version ${versions.length}: use a newer program$`,
);

/** Runs the same tests on every backend. */
export function testMigrations(backends: Backends): void {
  for (const [name, openBackend] of Object.entries(backends))
    describe(`the versions of a ledger in ${name}`, () => {
      let backend: Backend;
      let store: Store;
      before(async () => {
        backend = await openBackend();
      });
      after(() => backend[Symbol.asyncDispose]());
      beforeEach(async () => {
        store = await backend.createStore();
        const ledger = await store.open();
        await Promise.all(Array.from({length: SALES}, () => ledger.start(newSale(), 'me')));
      });
      const everything = () => store.run('SELECT * FROM sales ORDER BY key');
      const version = async () =>
        (await store.run('SELECT version FROM ledger_version')).map(row => Number(row['version']));

      test('a migration keeps all sales', async () => {
        const previous = await everything();
        assert.equal(previous.length, SALES);
        await store.upgrade(STEPS);
        assert.deepEqual(
          await everything(),
          previous.map(row => ({...row, refund: 'none'})),
        );
        assert.deepEqual(await version(), [versions.length + 1]);
      });

      test('concurrent migrations run once', async () => {
        await Promise.all([store.upgrade(STEPS), store.upgrade(STEPS), store.upgrade(STEPS)]);
        assert.deepEqual(await version(), [versions.length + 1]);
        assert.equal((await everything()).length, SALES);
      });

      test('a migration that fails changes nothing', async () => {
        const previous = await everything();
        await assert.rejects(store.upgrade([[...(STEPS[0] ?? []), 'UPDATE nothing SET refund = 1']]));
        assert.deepEqual(await everything(), previous);
        assert.deepEqual(await version(), [versions.length]);
      });

      test('a ledger of a newer version is refused and not changed', async () => {
        await store.upgrade(STEPS);
        const previous = await everything();
        await assert.rejects(store.open(), ({message}: Error) => NEWER.test(message));
        // A Durable Object that cannot be opened runs no statements.
        if (store.address === undefined) return;
        assert.deepEqual(await everything(), previous);
        assert.deepEqual(await version(), [versions.length + 1]);
      });
    });
}
