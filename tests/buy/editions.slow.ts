import assert from 'node:assert/strict';
import {readFile, rm, writeFile} from 'node:fs/promises';
import {basename, join} from 'node:path';
import {after, afterEach, before, beforeEach, describe, test} from 'node:test';
import {generatePrivateKey, type PrivateKeyAccount} from 'viem/accounts';
import {openSqlite} from '../../paywall/ledger/sqlite.ts';
import type {Ledger} from '../../paywall/ledger/ledger.ts';
import type {BuyerOptions, Catalogue} from '../../scripts/package/buy.ts';
import {type LocalChain, balanceOf} from '../../scripts/local-chain/chain.ts';
import {startFacilitator} from '../../scripts/local-chain/facilitator.ts';
import {startGate} from '../../scripts/local-chain/gate.ts';
import type {Listening} from '../../scripts/local-chain/listen.ts';
import {sha256} from '../../shared/digest.ts';
import {CLASS_SHARE, DENY_SCHEMA, emptySite, SITE, type SiteFixture} from '../build/site-fixture.ts';
import {readJson} from '../build/tree.ts';
import {newBuyer} from '../paywall/shop.ts';
import {runScript} from '../scripts/script-run.ts';
import {sharedChain} from '../shared-chain.ts';
import {altering, buyer, newFolder} from './stall.ts';

/** Names of documents, with the file of each. */
const DOCUMENTS = [
  ['softfail3-2', 'document.json'],
  ['softfail3.csv', 'document.csv'],
  ['softfail3-1.csv', 'document.csv'],
  ['softfail3.parquet', 'document.parquet'],
  ['softfail3-2.parquet', 'document.parquet'],
] as const;

describe('a buyer of parts and formats, over a real gate and chain,', () => {
  let site: SiteFixture;
  let chain: LocalChain;
  let facilitator: Listening;
  let ledger: Ledger;
  let gate: Listening;
  let account: PrivateKeyAccount;
  let folder: string;

  /** A `fetch` that maps the address of the site to the gate. */
  const atGate: typeof fetch = (input, init) => {
    assert.ok(typeof input === 'string');
    return fetch(input.replace(SITE.base_url, gate.url), init);
  };
  const buy = (name: string, options: Partial<BuyerOptions> = {}) =>
    buyer({account, folder, fetch: atGate, ...options}).buy(SITE.base_url, name);
  const sold = (name: string) => readFile(join(site.root, 'public/api/v1', name));
  /** Builds the site from a freeze of this many rows, and opens its gate. */
  const publish = async (date: string, rows: number) => {
    const urls = Array.from({length: rows}, (_, index) => `https://${index}.example/${date},soft_fail\n`);
    const files = {'deny-list.csv': `url,class\n${urls.join('')}`};
    await site.freeze({source: 'deny-list', date, files, schema: DENY_SCHEMA});
    assert.equal((await site.build()).err, '');
    await (gate as Listening | undefined)?.stop();
    gate = await startGate(site.root, facilitator.url, {ledger});
  };

  before(async () => {
    site = await emptySite();
    const formats = ['json', 'csv', 'parquet'];
    await site.write('data/products/soft-fail-3.json', {...CLASS_SHARE, examples: 0, parts: 20, formats});
    chain = await sharedChain();
    facilitator = await startFacilitator(chain);
    ledger = await openSqlite(':memory:');
    await publish('2026-05-01', 40);
  });
  beforeEach(async () => {
    account = await newBuyer(chain);
    folder = await newFolder();
  });
  afterEach(() => rm(folder, {recursive: true}));
  after(async () => {
    await gate.stop();
    await ledger.close();
    await facilitator.stop();
    await chain.stop();
    await site[Symbol.asyncDispose]();
  });

  for (const [name, file] of DOCUMENTS)
    test(`buys ${name} once, and downloads it again into an empty folder`, async () => {
      const {kind, folder: saved} = await buy(name);
      assert.equal(kind, 'bought');
      const bytes = await sold(name);
      assert.ok(bytes.equals(await readFile(join(saved, file))));
      assert.equal(basename(join(saved, '..')), name);
      const terms = JSON.parse(await readFile(join(saved, 'terms.json'), 'utf8')) as Record<string, unknown>;
      assert.deepEqual([terms['name'], terms['product'], terms['sha256']], [name, 'softfail3', sha256(bytes)]);
      assert.deepEqual(await buy(name), {kind: 'owned', folder: saved});
      await rm(folder, {recursive: true});
      const again = await buy(name);
      assert.equal(again.kind, 'again');
      assert.ok(bytes.equals(await readFile(join(again.folder, file))));
      assert.equal(await balanceOf(chain, account.address), 980_000n);
    });

  test('pays nothing if the gate names another media type, and accepts the right bytes with any', async () => {
    const unpaid = altering((at, answer) => {
      const terms = answer.headers.get('PAYMENT-REQUIRED');
      if (at !== '/api/v1/softfail3.csv' || terms === null) return answer;
      const said = Buffer.from(terms, 'base64').toString().replace('text/csv', 'text/html');
      const headers = new Headers(answer.headers);
      headers.set('PAYMENT-REQUIRED', Buffer.from(said).toString('base64'));
      return new Response(answer.body, {status: answer.status, headers});
    }, atGate);
    await assert.rejects(buy('softfail3.csv', {fetch: unpaid}), /resource\.mimeType "text\/html" is not text\/csv/);
    assert.equal(await balanceOf(chain, account.address), 1_000_000n);
    const paid = altering((at, answer) => {
      const headers = new Headers(answer.headers);
      if (at === '/api/v1/softfail3.csv' && answer.status === 200) headers.set('Content-Type', 'text/html');
      return new Response(answer.body, {status: answer.status, headers});
    }, atGate);
    assert.equal((await buy('softfail3.csv', {fetch: paid})).kind, 'bought');
  });

  test('refuses a file of rows with other bytes, and moves it to another name', async () => {
    const shorter = altering(async (at, answer) => {
      if (at !== '/api/v1/softfail3.parquet' || answer.status !== 200) return answer;
      const bytes = Buffer.from(await answer.arrayBuffer());
      return new Response(bytes.subarray(1), {status: 200, headers: answer.headers});
    }, atGate);
    await assert.rejects(
      buy('softfail3.parquet', {fetch: shorter}),
      /softfail3\.parquet was paid, but the received document /,
    );
    assert.deepEqual(await buyer({folder}).owned(), []);
  });

  test('frozen buy lists every part and format, shows one, and buys it', async () => {
    const run = (args: readonly string[], key = '') =>
      runScript('buy', [gate.url, ...args, '--folder', folder], {FROZEN_BUYER_KEY: key, FROZEN_RPC_URL: ''});
    const {out} = await run([]);
    const names = out.split('\n').flatMap(line => (line === '' ? [] : [line.split(' ')[0]]));
    const {products} = (await readJson(site.root, 'public/api/v1/index.json')) as unknown as Catalogue;
    const urls = products.flatMap(({paid, editions = []}) => [paid, ...editions]).map(({url}) => basename(url));
    assert.deepEqual([names.length, new Set(names)], [9, new Set(urls)]);
    const dry = await run(['softfail3-2.csv', '--dry-run']);
    assert.match(dry.out, /^title +Soft Fail 3, part 2, as CSV$/m);
    assert.match(dry.out, /^document +\S+ \S+ of text\/csv, SHA-256 [0-9a-f]{64}$/m);
    assert.match(dry.out, /^columns +url, class$/m);
    assert.doesNotMatch(dry.out, /^schema/m);
    const json = JSON.parse((await run(['softfail3-2.csv', '--dry-run', '--json'])).out) as Record<string, unknown>;
    const digest = sha256(await sold('softfail3-2.csv'));
    assert.deepEqual([json['name'], json['product'], json['sha256']], ['softfail3-2.csv', 'softfail3', digest]);
    const key = generatePrivateKey();
    await newBuyer(chain, '0.02', key);
    const {code, err} = await run(['softfail3-2.csv'], key);
    assert.equal(code, 0, err);
    assert.match((await run([])).out, /^softfail3-2\.csv +\$0\.02 +\S+ +owned +Soft Fail 3, part 2, as CSV$/m);
    const lacking = await run(['softfail3-3'], key);
    assert.equal(lacking.code, 1);
    assert.match(
      lacking.err,
      /do not include softfail3-3: softfail3 is sold as softfail3, softfail3\.csv, softfail3\.parquet, /,
    );
  });

  test('names the file of a part that is no longer sold, and gets a replaced file before it buys the new one', async () => {
    const {folder: saved} = await buy('softfail3-2');
    // As if the process was killed after it saved the document.
    const record = join(folder, 'payments.json');
    await writeFile(record, (await readFile(record, 'utf8')).replaceAll('"closed"', '"open"'));
    const [was, lost] = [await sold('softfail3.csv'), new Set<string>()];
    const losing = altering(async (at, answer) => {
      if (answer.status !== 200 || !at.endsWith('.csv')) return answer;
      await answer.arrayBuffer();
      lost.add(at);
      return atGate(SITE.base_url + at);
    }, atGate);
    for (const name of ['softfail3.csv', 'softfail3-2.csv'])
      await assert.rejects(buy(name, {fetch: losing}), /was refused/);
    assert.equal(lost.size, 2);

    await publish('2026-06-01', 19);
    const dropped = /softfail3-2 is no longer sold\. The document of 2026-05-01\S+ was bought before: /;
    await assert.rejects(buy('softfail3-2'), (error: Error) => {
      assert.match(error.message, dropped);
      assert.doesNotMatch(error.message, /interrupted/);
      return error.message.includes(join(saved, 'document.json'));
    });
    await assert.rejects(buy('softfail3-2.csv'), /is no longer sold, and a payment of \$0\.02 for it was interrupted/);

    assert.equal((await buy('softfail3.csv')).kind, 'bought');
    const all = (await buyer({folder}).owned()).filter(({name}) => name === 'softfail3.csv');
    const bytes = await Promise.all(all.map(({file}) => readFile(file)));
    assert.deepEqual(bytes, [was, await sold('softfail3.csv')]);
    assert.equal(await balanceOf(chain, account.address), 920_000n);
  });
});
