import assert from 'node:assert/strict';
import {chmod, mkdtemp, rm, stat} from 'node:fs/promises';
import {createServer, connect, type AddressInfo, type Socket} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, afterEach, before, beforeEach, describe, test} from 'node:test';
import {setTimeout} from 'node:timers/promises';
import {$} from 'zx';
import type {Ledger} from '../../paywall/ledger/ledger.ts';
import type {NewSale} from '../../paywall/ledger/sale.ts';
import {openLedger} from '../../paywall/ledger/open-ledger.ts';
import {databaseAt} from '../../paywall/ledger/postgres.ts';
import {counts} from './counts.ts';
import {ledgerProcess} from './ledger-process.ts';
import {newSale} from './new-sale.ts';
import {startPostgres, type PostgresServer} from './postgres-server.ts';

/** The maximum time for which a buyer may have to wait for a ledger that does not answer. */
const BOUND_MS = 6_500;
const NOBODY = 65534;
const OTHER_SESSIONS =
  'SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()';

const startSale = (ledger: Ledger) => ledger.start(newSale(), 'me');

/** Like `assert.rejects`, but also asserts that the promise rejects in time. */
async function rejectsInTime(promise: Promise<unknown>, message?: RegExp): Promise<void> {
  const begin = performance.now();
  await assert.rejects(promise, error => {
    assert.match(String(error), message ?? /./);
    return true;
  });
  const took = performance.now() - begin;
  assert.ok(took < BOUND_MS, `${took} ms`);
}

describe('a SQLite file in trouble', () => {
  let folder: string;
  let file: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ledger-'));
    file = join(folder, 'sales.db');
  });
  afterEach(() => rm(folder, {recursive: true}));

  test('cannot be opened while it is read-only, says so in one line, and can be opened afterwards', async () => {
    await (await openLedger('/', file)).close();
    await chmod(folder, 0o777);
    await chmod(file, 0o444);
    // For root, no file is read-only.
    await using other = await ledgerProcess(file, process.getuid?.() === 0 ? NOBODY : undefined);
    await assert.rejects(
      other.open(),
      /^Error: SiteError: The ledger [^\n]+\/sales\.db cannot be opened: EACCES: [^\n]+$/,
    );
    await chmod(file, 0o666);
    await chmod(`${file}-wal`, 0o666).catch(() => undefined);
    await chmod(`${file}-shm`, 0o666).catch(() => undefined);
    await other.open();
    assert.equal(await startSale(other.ledger), true);
  });

  test('refuses sales while the disk is full, loses none, and recovers by itself', async () => {
    await using full = await ledgerProcess(file);
    await full.open();
    const {ledger} = full;
    const sale = newSale();
    assert.equal(await ledger.start(sale, 'me'), true);
    const {size} = await stat(`${file}-wal`);
    await $({quiet: true})`prlimit --pid ${full.pid} --fsize=${size}:`;
    for (let i = 0; i < 3; i++) await rejectsInTime(startSale(ledger), /disk/);
    await rejectsInTime(ledger.move(sale.key, 'me', {to: 'settled', transaction: '0x1'}));
    assert.equal((await ledger.find(sale.key, sale)).same?.state, 'pending');
    assert.equal((await ledger.list({limit: 10})).length, 1);
    await $({quiet: true})`prlimit --pid ${full.pid} --fsize=unlimited:`;
    assert.equal(await ledger.move(sale.key, 'me', {to: 'settled', transaction: '0x1'}), true);
    assert.equal(await startSale(ledger), true);
  });
});

describe('Postgres in trouble', () => {
  let server: PostgresServer;
  let address: string;
  before(async () => {
    server = await startPostgres();
  });
  after(() => server[Symbol.asyncDispose]());
  beforeEach(async () => {
    address = await server.makeDatabase();
  });

  test('counts its sales, refuses sales while it is stopped, and recovers by itself', async () => {
    const ledger = await openLedger('/', address);
    await counts(ledger);
    const sale = newSale();
    assert.equal(await ledger.start(sale, 'me'), true);
    const selling = Promise.allSettled(Array.from({length: 200}, () => startSale(ledger)));
    await server.stop();
    await selling;
    for (let i = 0; i < 3; i++)
      await Promise.all(Array.from({length: 20}, () => rejectsInTime(startSale(ledger), /ECONNREFUSED|CONNECTION/)));
    await assert.rejects(openLedger('/', address), /^SiteError: The ledger postgres:[^\n]+ ECONNREFUSED [^\n]+$/);
    await assert.rejects(ledger.probe());
    await server.start();
    await ledger.probe();
    assert.equal((await ledger.find(sale.key, sale)).same?.state, 'pending');
    assert.deepEqual(await Promise.all(Array.from({length: 50}, () => startSale(ledger))), Array(50).fill(true));
    await ledger.close();
  });

  test('refuses sales within seconds while the network is silent, and recovers by itself', async () => {
    await using network = await silentNetwork(server.port);
    const ledger = await openLedger('/', address.replace(`:${server.port}/`, `:${network.port}/`));
    assert.equal(await startSale(ledger), true);
    network.isSilent = true;
    await Promise.all(
      Array.from({length: 50}, () =>
        rejectsInTime(startSale(ledger), /Postgres does not answer|CONNECTION|CONNECT_TIMEOUT/),
      ),
    );
    network.isSilent = false;
    assert.deepEqual(await Promise.all(Array.from({length: 50}, () => startSale(ledger))), Array(50).fill(true));
    await ledger.close();
  });

  test('is connected to again after its server allowed only reads, as after a failover', async () => {
    const ledger = await openLedger('/', address);
    const name = new URL(address).pathname.slice(1);
    await server.run(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    await server.run(`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '${name}'`);
    const reads = () => Promise.all(Array.from({length: 20}, () => ledger.list({limit: 1})));
    assert.equal((await reads()).length, 20);
    for (const write of [() => startSale(ledger), () => ledger.refund('none', '0x1')]) {
      const reading = reads();
      await rejectsInTime(write(), /read-only transaction/);
      assert.equal((await reading).length, 20);
    }
    await server.run(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
    await startSale(ledger).catch(() => undefined);
    assert.deepEqual(await Promise.all(Array.from({length: 20}, () => startSale(ledger))), Array(20).fill(true));
    await ledger.close();
  });

  test('is connected to again once, and not after another error', async () => {
    const {query, close} = databaseAt(`${address}?max=3`);
    const slow = assert.rejects(query('SELECT pg_sleep(20)'));
    const session = async () => (await query('SELECT pg_backend_pid() AS pid'))[0]?.['pid'];
    const first = await session();
    await assert.rejects(query('SELECT nothing'), /"nothing" does not exist/);
    assert.equal(await session(), first);
    const writeAfter = (seconds: number) =>
      rejectsInTime(
        query(`SET transaction_read_only = on; SELECT pg_sleep(${seconds}); CREATE TABLE written()`),
        /read-only transaction/,
      );
    const later = writeAfter(1);
    await writeAfter(0);
    const second = await session();
    assert.notEqual(second, first);
    await later;
    assert.equal(await session(), second);
    await slow;
    await close();
  });

  test('gives every statement its own rows while an operator adds columns', async () => {
    const ledger = await openLedger('/', address);
    const sales = Array.from({length: 40}, () => newSale());
    for (const sale of sales) await ledger.start(sale, 'me');
    const find = async (sale: NewSale) => {
      assert.equal((await ledger.find(sale.key, sale)).same?.key, sale.key, 'another sale');
    };
    for (let column = 0; column < 3; column++) {
      const altering = $({quiet: true})`psql ${address} --command ${`ALTER TABLE sales ADD COLUMN note${column} TEXT`}`;
      for (let round = 0; round < 10; round++) await Promise.all(sales.map(find));
      await altering;
      await Promise.all(sales.map(find));
    }
    await ledger.close();
  });

  test('is not waited for without end while a lost session has its lock', async () => {
    const ledger = await openLedger('/', address);
    const lost = databaseAt(address);
    await lost.transaction(async () => {
      await rejectsInTime(
        openLedger('/', address),
        /SiteError: The ledger [^\n]+ cannot be opened: [^\n]+ lock timeout$/,
      );
      await rejectsInTime(ledger.refund('none', '0x1'), /lock timeout/);
    });
    await lost.close();
    assert.equal(await ledger.refund('none', '0x1'), false);
    await ledger.close();
  });

  test('keeps no sessions of statements that waited too long for the lock of another session', async () => {
    const ledger = await openLedger('/', `${address}?max=3&application_name=shop`);
    const other = databaseAt(address);
    await other.transaction(async query => {
      await query('LOCK TABLE sales');
      const waiting = async () =>
        (
          await query(
            `SELECT pid FROM pg_locks WHERE NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
          )
        ).length;
      const sales = Promise.all(Array.from({length: 20}, () => rejectsInTime(startSale(ledger))));
      await setTimeout(1_000);
      assert.equal(await waiting(), 3, 'the number of connections in the address');
      await sales;
      await setTimeout(500);
      assert.equal(await waiting(), 0);
      assert.ok((await query(OTHER_SESSIONS)).length <= 3);
    });
    await other.close();
    assert.equal(await startSale(ledger), true);
    await ledger.close();
  });

  test('is closed within seconds while a statement waits for a lock, and keeps no sessions', async () => {
    const ledger = await openLedger('/', address);
    const other = databaseAt(address);
    await other.transaction(async query => {
      await query('LOCK TABLE sales');
      const sale = assert.rejects(startSale(ledger), /Postgres does not answer/);
      await setTimeout(2_000);
      const closing = ledger.close().then(() => 'closed');
      assert.equal(await Promise.race([closing, setTimeout(BOUND_MS, 'waits')]), 'closed');
      await sale;
    });
    await setTimeout(500);
    assert.deepEqual(await other.query(OTHER_SESSIONS), []);
    await other.close();
  });

  for (const [setting, refusal] of [
    ['synchronous_commit = off', /^SiteError: [^\n]+: it confirms changes before [^\n]+$/],
    [
      `default_transaction_isolation = 'repeatable read'`,
      /^SiteError: [^\n]+ are isolated as repeatable read: [^\n]+$/,
    ],
  ] as const)
    test(`is refused with ${setting}`, async () => {
      await server.run(`ALTER DATABASE ${new URL(address).pathname.slice(1)} SET ${setting}`);
      await assert.rejects(openLedger('/', address), refusal);
    });
});

interface SilentNetwork extends AsyncDisposable {
  readonly port: number;
  /** True if no data arrives any more, while the connections stay open. */
  isSilent: boolean;
}

async function silentNetwork(to: number): Promise<SilentNetwork> {
  const sockets = new Set<Socket>();
  const network = {port: 0, isSilent: false};
  const server = createServer(near => {
    const far = connect(to, '127.0.0.1');
    let isDead = false;
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('data', bytes => {
        isDead ||= network.isSilent;
        if (!isDead) other.write(bytes);
      });
    }
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  network.port = (server.address() as AddressInfo).port;
  return Object.assign(network, {
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise(resolve => server.close(resolve));
    },
  });
}
