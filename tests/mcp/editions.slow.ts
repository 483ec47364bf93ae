import assert from 'node:assert/strict';
import {readFile, rm} from 'node:fs/promises';
import {join} from 'node:path';
import {after, afterEach, before, beforeEach, describe, test} from 'node:test';
import {generatePrivateKey, type PrivateKeyAccount} from 'viem/accounts';
import {openSqlite} from '../../paywall/ledger/sqlite.ts';
import type {Ledger} from '../../paywall/ledger/ledger.ts';
import {type LocalChain, balanceOf} from '../../scripts/local-chain/chain.ts';
import {startFacilitator} from '../../scripts/local-chain/facilitator.ts';
import {startGate} from '../../scripts/local-chain/gate.ts';
import type {Listening} from '../../scripts/local-chain/listen.ts';
import {sha256} from '../../shared/digest.ts';
import {CLASS_SHARE, DENY_SCHEMA, emptySite, type SiteFixture} from '../build/site-fixture.ts';
import {newFolder} from '../buy/stall.ts';
import {newBuyer} from '../paywall/shop.ts';
import {sharedChain} from '../shared-chain.ts';
import {stdioAgent, type Agent, type Person} from './agent.ts';

/** Names of documents, each with its file and media type. */
const DOCUMENTS = [
  ['softfail3-2', 'document.json', 'application/json'],
  ['softfail3.csv', 'document.csv', 'text/csv'],
  ['softfail3-2.csv', 'document.csv', 'text/csv'],
  ['softfail3.parquet', 'document.parquet', 'application/vnd.apache.parquet'],
  ['softfail3-2.parquet', 'document.parquet', 'application/vnd.apache.parquet'],
] as const;
/** The documents to buy: JSON, text and binary. */
const BOUGHT: readonly string[] = ['softfail3-2', 'softfail3-2.csv', 'softfail3.parquet'];
/** With three formats of each, more documents than one answer lists. */
const PARTS = 17;
const ROWS_PER_PART = 2;

describe('an agent over MCP, of parts and formats, with a real gate and chain,', () => {
  let site: SiteFixture;
  let chain: LocalChain;
  let facilitator: Listening;
  let ledger: Ledger;
  let gate: Listening;
  let folder: string;
  let key: `0x${string}`;
  let account: PrivateKeyAccount;

  const sold = (name: string) => readFile(join(site.root, 'public/api/v1', name));
  const start = (more: readonly string[] = [], person?: Person) =>
    stdioAgent([gate.url, '--folder', folder, ...more], {FROZEN_BUYER_KEY: key}, person);
  const buy = async (agent: Agent, {name, sha256, price, network, pay_to}: Record<string, unknown>) => {
    const {facts, isError, text} = await agent.call('buy_document', {name, sha256, price, network, pay_to});
    assert.equal(isError, false, text);
    return facts;
  };
  const listed = async (agent: Agent, input: Record<string, unknown> = {}) => {
    const {facts, text} = await agent.call('list_products', input);
    assert.ok(Array.isArray(facts['products']), text);
    return {
      products: facts['products'] as Record<string, unknown>[],
      next: facts['next_offset'],
      total: facts['total'],
    };
  };
  /** Builds the site from a freeze of this many rows, and opens its gate, always at the same address. */
  const publish = async (date: string, rows: number) => {
    const urls = Array.from({length: rows}, (_, index) => `https://${index}.example/${date},soft_fail\n`);
    const files = {'deny-list.csv': `url,class\n${urls.join('')}`};
    await site.freeze({source: 'deny-list', date, files, schema: DENY_SCHEMA});
    assert.equal((await site.build()).err, '');
    const previous = gate as Listening | undefined;
    await previous?.stop();
    gate = await startGate(site.root, facilitator.url, {
      ledger,
      port: previous ? Number(new URL(previous.url).port) : 0,
    });
  };

  before(async () => {
    site = await emptySite();
    const formats = ['json', 'csv', 'parquet'];
    const inParts = {...CLASS_SHARE, examples: 0, parts: ROWS_PER_PART, formats, siblings: ['unableverify']};
    await site.write('data/products/soft-fail-3.json', inParts);
    const whole = {
      title: 'Unable Verify',
      class: 'unable_verify',
      siblings: ['softfail3'],
      difference: 'is one document',
    };
    await site.write('data/products/unable-verify.json', {...CLASS_SHARE, ...whole});
    chain = await sharedChain();
    facilitator = await startFacilitator(chain);
    ledger = await openSqlite(':memory:');
    await publish('2026-05-01', PARTS * ROWS_PER_PART);
  });
  beforeEach(async () => {
    folder = await newFolder();
    key = generatePrivateKey();
    account = await newBuyer(chain, '1', key);
  });
  afterEach(() => rm(folder, {recursive: true}));
  after(async () => {
    await gate.stop();
    await ledger.close();
    await facilitator.stop();
    await chain.stop();
    await site[Symbol.asyncDispose]();
  });

  test('lists every product first, then every format and part, 50 at a time, and pays nothing for a document under the name of another', async () => {
    await using agent = await start();
    const first = await listed(agent);
    const rest = await listed(agent, {offset: 50});
    assert.deepEqual([first.products.length, first.next, rest.next], [50, 50, null]);
    const all = [...first.products, ...rest.products];
    const names = all.map(({name}) => name);
    assert.deepEqual(names.slice(0, 4), ['softfail3', 'unableverify', 'softfail3.csv', 'softfail3.parquet']);
    const expected = Array.from({length: PARTS}, (_, at) => `softfail3-${at + 1}`);
    const parts = expected.flatMap(part => [part, `${part}.csv`, `${part}.parquet`]);
    assert.deepEqual(new Set(names.slice(4)), new Set(parts));
    assert.equal(new Set(names).size, names.length);
    assert.deepEqual([first.total, rest.total], [names.length, names.length]);
    for (const [name, , type] of DOCUMENTS) {
      const one = all.find(product => product['name'] === name);
      assert.deepEqual(
        [one?.['product'], one?.['type'], one?.['sha256'], one?.['price']],
        ['softfail3', type, sha256(await sold(name)), '$0.02'],
      );
    }
    const {products} = await listed(agent, {product: 'unableverify'});
    assert.deepEqual(
      products.map(({name}) => name),
      ['unableverify'],
    );
    const own = await listed(agent, {product: 'softfail3', offset: 50});
    assert.deepEqual([own.products.length, own.total], [names.length - 51, names.length - 1]);
    const {text} = await agent.call('list_products', {product: 'softfail4'});
    assert.match(text, /does not list softfail4\. The names are softfail3, unableverify/);

    const {sha256: seen, price, network, pay_to} = (await agent.call('show_offer', {name: 'softfail3'})).facts;
    const terms = {sha256: seen, price, network, pay_to};
    const bought = await agent.call('buy_document', {...terms, name: 'softfail3-2.csv'});
    assert.match(bought.text, new RegExp(`${String(seen)}" is ${sha256(await sold('softfail3-2.csv'))} now`));
    const lacking = await agent.call('show_offer', {name: `softfail3-${PARTS + 1}`});
    assert.match(
      lacking.text,
      /do not include softfail3-18: softfail3 is sold as softfail3, softfail3\.csv, softfail3\.parquet, /,
    );
    for (const name of ['softfail3.json', 'softfail3-', '-2', 'softfail3-2.csv.csv', '../softfail3.csv'])
      assert.match((await agent.call('show_offer', {name})).text, /Invalid arguments/);
    assert.equal(await balanceOf(chain, account.address), 1_000_000n);
  });

  test('buys parts and formats once, after it has asked the user, reads and verifies them, also if they are no longer sold', async () => {
    const questions: string[] = [];
    await using agent = await start(['--ask-above', '0'], question => {
      questions.push(question);
      return 'yes';
    });
    let count = 0n;
    for (const [name, file, type] of DOCUMENTS.filter(([name]) => BOUGHT.includes(name))) {
      count++;
      const bytes = await sold(name);
      const digest = sha256(bytes);
      const {facts: offer} = await agent.call('show_offer', {name});
      assert.deepEqual(
        [offer['product'], offer['type'], offer['sha256'], offer['bytes'], offer['owned']],
        ['softfail3', type, digest, bytes.length, null],
      );
      const bought = await buy(agent, offer);
      assert.deepEqual([bought['kind'], bought['name'], bought['sha256']], ['bought', name, digest]);
      const path = join(String(bought['folder']), file);
      assert.ok(bytes.equals(await readFile(path)));
      assert.equal((await buy(agent, offer))['kind'], 'owned');
      assert.equal(questions.length, Number(count));
      assert.ok(questions.at(-1)?.startsWith(`Buy ${name} of ${gate.url}, `), questions.at(-1));
      assert.equal(await balanceOf(chain, account.address), 1_000_000n - 20_000n * count);

      const owned = (await agent.call('list_owned')).facts['documents'] as Record<string, unknown>[];
      const one = owned.find(document => document['name'] === name);
      assert.deepEqual(
        [owned.length, one?.['uri'], one?.['product'], one?.['type'], one?.['title']],
        [Number(count), bought['uri'], 'softfail3', type, offer['title']],
      );
      const read = await agent.call('read_document', {sha256: digest});
      const uri = String(bought['uri']);
      const {resources} = await agent.client.listResources();
      assert.equal(resources.find(resource => resource.uri === uri)?.mimeType, type);
      const {contents} = await agent.client.readResource({uri});
      if (file === 'document.parquet') {
        assert.equal(read.isError, true);
        assert.match(read.text, /is Parquet, not text/);
        assert.ok(read.text.includes(path), read.text);
        assert.deepEqual(contents, [{uri, mimeType: type, blob: bytes.toString('base64')}]);
      } else {
        assert.deepEqual([read.facts['text'], read.facts['file']], [bytes.toString('utf8'), path]);
        assert.deepEqual(contents, [{uri, mimeType: type, text: bytes.toString('utf8')}]);
      }
      const {facts: verified} = await agent.call('verify_document', {sha256: digest});
      assert.deepEqual([verified['ok'], verified['for_sale']], [true, true], JSON.stringify(verified));
      assert.match(JSON.stringify(verified['checks']), new RegExp(`matches /api/v1/${name} in the catalogue`));
    }
    const {products} = await listed(agent, {product: 'softfail3'});
    assert.deepEqual(new Set(products.filter(one => one['owned'] === true).map(({name}) => name)), new Set(BOUGHT));

    const parts = BOUGHT.filter(name => name.startsWith('softfail3-2'));
    const digests = await Promise.all(parts.map(async name => sha256(await sold(name))));
    await publish('2026-06-01', ROWS_PER_PART - 1);
    for (const sha256 of digests) {
      const {facts, text} = await agent.call('verify_document', {sha256});
      assert.deepEqual([facts['ok'], facts['for_sale']], [true, false], text);
    }
    for (const name of parts)
      assert.match(
        (await agent.call('show_offer', {name})).text,
        /is no longer sold\. The document of 2026-05-01\S+ was bought/,
      );
    assert.deepEqual(agent.errors, []);
  });
});
