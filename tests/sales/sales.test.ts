import assert from 'node:assert/strict';
import {once} from 'node:events';
import {mkdir, mkdtemp, readdir, rm, writeFile} from 'node:fs/promises';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, test} from 'node:test';
import {openLedger} from '../../paywall/ledger/open-ledger.ts';
import {migrate, versions} from '../../paywall/ledger/schema.ts';
import {databaseOn} from '../../paywall/ledger/sqlite.ts';
import Connection from 'libsql';
import {workerAt} from '../../scripts/sales/from-worker.ts';
import {printable} from '../../shared/printable.ts';
import {fillLedger, payer, sell} from './filled-ledger.ts';
import {run} from './run.ts';

interface Json {
  readonly sales: readonly Readonly<Record<string, string>>[];
  readonly figures: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>> & {
    readonly not_paid: object;
  };
}

describe('frozen sales', () => {
  let root: string;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'sales-'));
    await mkdir(join(root, 'data'));
    await mkdir(join(root, 'public/api/v1'), {recursive: true});
    await writeFile(join(root, 'data/site.json'), '{}');
    const ledger = await openLedger(root);
    await fillLedger(ledger);
    await ledger.close();
  });
  after(() => rm(root, {recursive: true}));

  const json = async (...args: string[]) =>
    JSON.parse((await run('sales', '--root', root, '--json', ...args)).out) as Json;

  test('adds up the exact income without refunds, separately for each currency', async () => {
    const {figures} = await json();
    const reported = figures['totals']?.map(({network, currency, sales, gross, refunds, refunded, net}) =>
      [network, currency, sales, gross, refunds, refunded, net].join(' '),
    );
    assert.deepEqual(reported, [
      'eip155:84532 USDC 4 0.21 1 0.02 0.19',
      'eip155:8453 USDC 1 0.15 0 0 0.15',
      'eip155:84532  1 7 0 0 7',
    ]);
    assert.deepEqual(figures.not_paid, {declined: 1, pending: 1});
    assert.deepEqual(
      figures['by_product']?.map(({product, net}) => `${String(product)} ${String(net)}`),
      ['silent-feeds 0.15', 'deadshare 0.15', 'silent-feeds 0.04', 'silent-feeds 7'],
    );
    assert.equal('by_buyer' in figures, false);
  });

  test('groups the sums by one column if it is named', async () => {
    const {figures} = await json('--by', 'buyer');
    const came = figures['by_buyer']?.find(({buyer}) => buyer === payer);
    assert.deepEqual([came?.['sales'], came?.['net']], [2, '0.17']);
    assert.equal('by_day' in figures, false);
  });

  test('lists every sale with its status', async () => {
    const {sales} = await json();
    assert.deepEqual(
      sales.map(({state, counts_as}) => `${state ?? ''} ${counts_as ?? ''}`),
      [
        'delivered income',
        'expired income',
        'delivered refunded',
        'settled income',
        'delivered income',
        'delivered income',
        'declined ',
        'pending ',
      ],
    );
    assert.ok(!JSON.stringify(sales).includes('signature'), 'a signed payment is listed');
  });

  test('includes sales that started in a period, without its end', async () => {
    const all = (await json()).sales.map(({moment}) => moment ?? '');
    const [first = '', last = ''] = [all[0], all.at(-1)];
    const later = all.filter(moment => moment > first);
    const until = (await json('--until', last)).sales.map(({moment}) => moment);
    assert.deepEqual(
      until,
      all.filter(moment => moment < last),
    );
    assert.deepEqual(
      (await json('--since', later[0] ?? '')).sales.map(({moment}) => moment),
      later,
    );
    assert.deepEqual((await json('--since', '2000-01-01', '--until', '2000-02-01')).sales, []);
  });

  test('writes CSV with one row per sale', async () => {
    const {out} = await run('sales', '--root', root, '--csv');
    const [head, first, ...rest] = out.trimEnd().split('\r\n');
    assert.match(head ?? '', /^moment,product,as_of,digest,price,amount,/);
    assert.match(first ?? '', /^20\d\d-.{18}Z,silent-feeds,2026-05-01,(ab){32},\$0\.02,0\.02,20000,USDC,/);
    assert.equal(rest.length, 7);
  });

  test('shows tables without colours if the output is not a terminal', async () => {
    const {out, code} = await run('sales', '--root', root);
    assert.equal(code, 0);
    assert.match(out, /^ +4 +0\.21 +1 +0\.02 +0\.19 +USDC, Base Sepolia$/m);
    assert.match(out, /^20\d\d-\d\d-\d\d +4 .*USDC, Base Sepolia$/m);
    assert.match(out, /Not counted.*1 declined, 1 pending/);
    assert.ok(!out.includes('\u001b'));
  });

  test('reports that nothing was sold', async () => {
    assert.equal((await run('sales', '--root', root, '--until', '2000-01-01')).out, 'Nothing was sold.\n');
  });

  test('does not create a missing ledger', async () => {
    const empty = await mkdtemp(join(tmpdir(), 'sales-'));
    for (const [args, words] of [
      [[], 'ledger/sales.db'],
      [['--ledger-url', 'my.db'], 'my.db'],
    ] as const) {
      const {code, err} = await run('sales', '--root', empty, ...args);
      assert.equal(code, 1);
      assert.equal(err, `The ledger ${words} cannot be opened: it does not exist\n`);
    }
    await writeFile(join(empty, 'empty.db'), '');
    assert.match((await run('sales', '--root', empty, '--ledger-url', 'empty.db')).err, /: it is not a ledger\n$/);
    assert.deepEqual(await readdir(empty), ['empty.db']);
    await rm(empty, {recursive: true});
  });

  for (const [member, change] of [
    ['product', {product: '\u001b[2Jsilent-feeds'}],
    ['price', {price: '$0.02\u202e'}],
    ['amount', {amount: '1.5'}],
    ['amount', {amount: '9'.repeat(78)}],
    ['payer', {payer: '0x1'}],
    ['network', {network: 'eip155:1/<script>'}],
  ] as const)
    test(`reports in one line a ${member} that no gate wrote: ${JSON.stringify(change)}`, async t => {
      const other = await mkdtemp(join(tmpdir(), 'sales-'));
      t.after(() => rm(other, {recursive: true}));
      const ledger = await openLedger(other);
      const {key, transaction} = await sell(ledger, 'delivered', change);
      await ledger.close();
      for (const args of [['sales'], ['sales', '--csv'], ['sales', '--json'], ['refund', transaction]]) {
        const {code, out, err} = await run(...args, '--root', other);
        assert.equal(code, 1, args.join(' '));
        if (args.includes('--json')) assert.equal((JSON.parse(out) as {ok: boolean}).ok, false);
        assert.equal(err, `ledger/sales.db ${member} of the sale ${printable(key)} was not written by a gate\n`);
      }
    });

  test('quotes a cell of CSV that a spreadsheet would evaluate', async t => {
    const other = await mkdtemp(join(tmpdir(), 'sales-'));
    t.after(() => rm(other, {recursive: true}));
    const ledger = await openLedger(other);
    await sell(ledger, 'delivered', {product: '=HYPERLINK("http://x")'});
    await ledger.close();
    assert.match((await run('sales', '--csv', '--root', other)).out, /Z,"'=HYPERLINK\(""http:/);
  });

  test('does not change a ledger of another version', async () => {
    const file = join(root, 'newer.db');
    const connection = new Connection(file);
    await migrate(databaseOn(connection), [...versions, ['CREATE TABLE later (x TEXT)']]);
    connection.close();
    const {code, err} = await run('sales', '--root', root, '--ledger-url', 'newer.db');
    assert.equal(code, 1);
    assert.match(err, /it has version \d+, and this program reads version \d+: use a newer program\n$/);
  });

  test('sends a token as the Worker reads its secret: without spaces and line breaks around it', async t => {
    const sent: (string | undefined)[] = [];
    const worker = createServer((request, response) => {
      sent.push(request.headers.authorization);
      response.end('{"sales": []}');
    }).listen(0, '127.0.0.1');
    await once(worker, 'listening');
    t.after(() => worker.close());
    const origin = `http://127.0.0.1:${(worker.address() as AddressInfo).port}`;
    for (const [FROZEN_REFUNDS_TOKEN, FROZEN_SALES_TOKEN] of [
      [' ', 'two words\r\n'],
      ['two words\n', 'another'],
    ])
      assert.equal(await workerAt(origin, {FROZEN_REFUNDS_TOKEN, FROZEN_SALES_TOKEN}).withKey('key'), undefined);
    assert.deepEqual(sent, ['Bearer two words', 'Bearer two words']);
    assert.throws(() => workerAt(origin, {FROZEN_SALES_TOKEN: 'two\nlines'}), /FROZEN_SALES_TOKEN is not a token/);
  });

  for (const [status, reported] of [
    [404, /its secret FROZEN_REFUNDS_TOKEN is not set or differs/],
    [503, /its ledger cannot be used, or one of its secrets is wrong/],
  ] as const)
    test(`names the possible causes if a Worker answers ${status}`, async t => {
      const worker = createServer((_, response) => response.writeHead(status).end()).listen(0, '127.0.0.1');
      await once(worker, 'listening');
      t.after(() => worker.close());
      const origin = `http://127.0.0.1:${(worker.address() as AddressInfo).port}`;
      const both = {FROZEN_REFUNDS_TOKEN: 'wrong', FROZEN_SALES_TOKEN: 'right'};
      await assert.rejects(workerAt(origin, both).withKey('key'), reported);
    });

  for (const args of [
    ['--since', '2026-02-30'],
    ['--until', 'yesterday'],
    ['--since', '2026-05-01', '--until', '2026-05-01'],
    ['--by', 'moon'],
    ['--json', '--csv'],
    ['--worker', 'http://snapshots.example'],
    ['--worker', 'https://snapshots.example/path'],
  ])
    test(`refuses ${args.join(' ')} as wrong usage`, async () => {
      assert.equal((await run('sales', '--root', root, ...args)).code, 2);
    });
});
