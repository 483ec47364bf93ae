import assert from 'node:assert/strict';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, test} from 'node:test';
import {setTimeout} from 'node:timers/promises';
import type {Ledger} from '../../paywall/ledger/ledger.ts';
import type {NewSale, Sale} from '../../paywall/ledger/sale.ts';
import {durableObjectHome, postgresHome, sqliteHome, type Home} from './homes.ts';
import {ledgerProcess, type LedgerProcess} from './ledger-process.ts';
import {newSale} from './new-sale.ts';

const PROCESSES = 4;
const KILLS = 6;
/** Sales that a process works on at once. */
const AT_ONCE = 20;

for (const [name, makeHome] of Object.entries({'a SQLite file': sqliteHome, Postgres: postgresHome}))
  describe(`several processes over one ledger in ${name}`, () => {
    let home: Home;
    let address: string;
    let processes: LedgerProcess[];
    before(async () => {
      home = await makeHome();
      ({address = ''} = await home.makePlace());
      processes = await Promise.all(Array.from({length: PROCESSES}, () => ledgerProcess(address)));
    });
    after(async () => {
      await Promise.all(processes.map(one => one.kill()));
      await home[Symbol.asyncDispose]();
    });
    /** Asks 100 times at once, the processes by turns. */
    const among = <Result>(ask: (ledger: Ledger, i: number) => Promise<Result>) =>
      Promise.all(Array.from({length: 100}, (_, i) => ask(processes[i % PROCESSES]?.ledger as Ledger, i)));

    test('all make it at once, and it is made once', async () => {
      await Promise.all(processes.map(one => one.open()));
      assert.deepEqual(await Promise.all(processes.map(({ledger}) => ledger.list({limit: 10}))), [[], [], [], []]);
    });

    test('one of 100 claims an authorization, one of 100 the sale of a payer, and one of 100 takes what was let go', async () => {
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

    test('each of 100 reserves a number of its own', async () => {
      const signer = {network: 'eip155:84532', address: newSale().payer};
      const reserved = await among((ledger, i) => ledger.reserveNonce(signer, `${i}`, 3));
      assert.deepEqual(
        reserved.sort((a, b) => a - b),
        Array.from({length: 100}, (_, i) => i + 3),
      );
    });

    test('what has resolved is there when its process is killed at any moment', async () => {
      const ledger = processes[0]?.ledger as Ledger;
      let moved = 0;
      for (let kill = 0; kill < KILLS; kill++) {
        await using killed = await ledgerProcess(address);
        await killed.open();
        const done = new Map<NewSale, Sale['state']>();
        for (let i = 0; i < AT_ONCE; i++) void sellWithoutEnd(killed.ledger, done);
        await setTimeout(20 + Math.random() * 300);
        await killed.kill();
        for (const [sale, state] of done) {
          const {same} = await ledger.find(sale.key, sale);
          const order = ['pending', 'settled', 'delivered'];
          assert.ok(order.indexOf(same?.state ?? '') >= order.indexOf(state), `${same?.state} after ${state}`);
          if (state === 'delivered') moved++;
        }
        assert.ok(done.size > 0);
      }
      assert.ok(moved > 0);
    });
  });

/** Claims, settles and delivers, and notes what has resolved. A process that is killed answers no more. */
async function sellWithoutEnd(ledger: Ledger, done: Map<NewSale, Sale['state']>): Promise<never> {
  for (;;) {
    const sale = newSale();
    if (await ledger.start(sale, 'me')) done.set(sale, 'pending');
    if (await ledger.move(sale.key, 'me', {to: 'settled', transaction: '0x1'}, true)) done.set(sale, 'settled');
    if (await ledger.move(sale.key, 'me', {to: 'delivered'})) done.set(sale, 'delivered');
  }
}

test('what has resolved in a Durable Object is there when workerd is killed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'ledger-'));
  const sales: NewSale[] = [];
  for (let kill = 0; kill < KILLS; kill++) {
    // Ends workerd by SIGKILL.
    await using home = await durableObjectHome(folder);
    const ledger = await (await home.makePlace('sales')).open();
    for (const sale of sales) assert.equal((await ledger.find(sale.key, sale)).same?.state, 'settled');
    const sale = newSale();
    sales.push(sale);
    assert.equal(await ledger.start(sale, 'me'), true);
    assert.equal(await ledger.move(sale.key, 'me', {to: 'settled', transaction: '0x1'}), true);
  }
  await rm(folder, {recursive: true});
});
