import assert from 'node:assert/strict';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, test} from 'node:test';
import {setTimeout} from 'node:timers/promises';
import type {Ledger} from '../../paywall/ledger/ledger.ts';
import type {NewSale, Sale} from '../../paywall/ledger/sale.ts';
import {durableObjectBackend, postgresBackend, sqliteBackend, type Backend} from './backends.ts';
import {ledgerProcess, type LedgerProcess} from './ledger-process.ts';
import {newSale} from './new-sale.ts';

const PROCESSES = 4;
const KILLS = 4;
/** Sales that a process works on at once. */
const AT_ONCE = 20;

for (const [name, openBackend] of Object.entries({'a SQLite file': sqliteBackend, Postgres: postgresBackend}))
  describe(`several processes over one ledger in ${name}`, () => {
    let backend: Backend;
    let address: string;
    let processes: LedgerProcess[];
    before(async () => {
      backend = await openBackend();
      ({address = ''} = await backend.createStore());
      processes = await Promise.all(Array.from({length: PROCESSES}, () => ledgerProcess(address)));
    });
    after(async () => {
      await Promise.all(processes.map(one => one.kill()));
      await backend[Symbol.asyncDispose]();
    });
    /** Runs 100 concurrent calls, distributed over the processes. */
    const among = <Result>(call: (ledger: Ledger, i: number) => Promise<Result>) =>
      Promise.all(Array.from({length: 100}, (_, i) => call(processes[i % PROCESSES]?.ledger as Ledger, i)));

    test('create the ledger once if all open it at the same time', async () => {
      await Promise.all(processes.map(one => one.open()));
      assert.deepEqual(await Promise.all(processes.map(({ledger}) => ledger.list({limit: 10}))), [[], [], [], []]);
    });

    test('let one of 100 calls start a sale of an authorization, one start a sale of a payer, and one lease a released sale', async () => {
      for (let round = 0; round < 10; round++) {
        const sale = newSale();
        const won = await among((ledger, i) => ledger.start(sale, `${i}`));
        assert.equal(won.filter(Boolean).length, 1);
        const {payer} = newSale();
        const opened = await among(ledger => ledger.start(newSale({payer}), 'me'));
        assert.equal(opened.filter(Boolean).length, 1);
        const first = processes[round % PROCESSES]?.ledger as Ledger;
        assert.equal(await first.move(sale.key, `${won.indexOf(true)}`, {to: 'settled', transaction: '0x1'}), true);
        const taken = await among((ledger, i) => ledger.lease(sale.key, `${i}`, ['settled']));
        assert.equal(taken.filter(Boolean).length, 1);
      }
    });

    test('reserve a different nonce in each of 100 calls', async () => {
      const signer = {network: 'eip155:84532', address: newSale().payer};
      const reserved = await among((ledger, i) => ledger.reserveNonce(signer, `${i}`, 3));
      assert.deepEqual(
        reserved.sort((a, b) => a - b),
        Array.from({length: 100}, (_, i) => i + 3),
      );
    });

    test('lose no completed change when a process is killed at any time', async () => {
      const ledger = processes[0]?.ledger as Ledger;
      let moved = 0;
      for (let kill = 0; kill < KILLS; kill++) {
        await using killed = await ledgerProcess(address);
        await killed.open();
        const done = new Map<NewSale, Sale['state']>();
        for (let i = 0; i < AT_ONCE; i++) void sellWithoutEnd(killed.ledger, done);
        while (done.size === 0) await setTimeout(5);
        await setTimeout(Math.random() * 300);
        await killed.kill();
        for (const [sale, state] of done) {
          const {same} = await ledger.find(sale.key, sale);
          const order = ['pending', 'settled', 'delivered'];
          assert.ok(order.indexOf(same?.state ?? '') >= order.indexOf(state), `${same?.state} after ${state}`);
          if (state === 'delivered') moved++;
        }
      }
      assert.ok(moved > 0);
    });
  });

/** Starts, settles and delivers sales, and records the completed changes in `done`. It ends when the process is killed. */
async function sellWithoutEnd(ledger: Ledger, done: Map<NewSale, Sale['state']>): Promise<never> {
  for (;;) {
    const sale = newSale();
    if (await ledger.start(sale, 'me')) done.set(sale, 'pending');
    if (await ledger.move(sale.key, 'me', {to: 'settled', transaction: '0x1'}, true)) done.set(sale, 'settled');
    if (await ledger.move(sale.key, 'me', {to: 'delivered'})) done.set(sale, 'delivered');
  }
}

test('a Durable Object loses no completed change when workerd is killed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'ledger-'));
  const sales: NewSale[] = [];
  for (let kill = 0; kill < KILLS; kill++) {
    // Disposing of the backend ends workerd with SIGKILL.
    await using backend = await durableObjectBackend(folder);
    const ledger = await (await backend.createStore('sales')).open();
    for (const sale of sales) assert.equal((await ledger.find(sale.key, sale)).same?.state, 'settled');
    const sale = newSale();
    sales.push(sale);
    assert.equal(await ledger.start(sale, 'me'), true);
    assert.equal(await ledger.move(sale.key, 'me', {to: 'settled', transaction: '0x1'}), true);
  }
  await rm(folder, {recursive: true});
});
