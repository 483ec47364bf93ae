import assert from 'node:assert/strict';
import {cp, mkdir, readFile, rename, rm, symlink, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, test} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {generatePrivateKey, privateKeyToAccount} from 'viem/accounts';
import {JOURNAL} from '../../build/write/changes.ts';
import {openSqlite} from '../../paywall/ledger/sqlite.ts';
import {serveSite, type Running} from '../../paywall/hosts/node.ts';
import {openSite} from '../../paywall/site/open-site.ts';
import {CATALOGUE_FILE, paths, RULES_FILE, STAGING} from '../../shared/paths.ts';
import {builtSite, generationIn, type BuiltSite} from './built-site.ts';
import {encoded, forge} from './forge.ts';
import {decoded, type Challenge} from './hand-made.ts';
import {startStandIn, type StandIn} from './stand-in.ts';

const path = paths.paid('softfail3');
const product = 'products/soft-fail-3.json';

/** A real build finishes while a gate runs. Most tests start the reload, which the gate also does by itself. */
describe('a build while the gate runs', () => {
  let site: BuiltSite;
  let facilitator: StandIn;
  let gate: Running;
  let lines: string[];

  beforeEach(async () => {
    facilitator = await startStandIn();
    site = await builtSite(facilitator.url);
    await site.build();
    lines = [];
    gate = await serveSite(await openSite(site.root), {
      port: 0,
      host: '127.0.0.1',
      ledger: await openSqlite(':memory:'),
      onError: console.error,
      onBuild: line => lines.push(line),
    });
  });
  afterEach(async () => {
    await gate.stop();
    await facilitator.stop();
    await site.remove();
  });

  test('is loaded by the gate itself, and reported in one line', async () => {
    const before = await get(paths.catalogue);
    await changePrice('$0.03');
    const {files} = await site.build();
    await until(() => lines.length > 0);
    assert.deepEqual(lines, ['Serving the new build of https://snapshots.example: 3 products']);
    assert.notEqual(before.text, files.get(paths.catalogue));
    for (const free of [paths.catalogue, '/index.html', paths.sample('softfail3')])
      assert.equal((await get(free)).text, files.get(free));
    assert.equal((await challenge()).accepts[0]?.amount, '30000');
  });

  test('does not mix free documents of two builds before it is loaded', async () => {
    const old = await generationIn(site.root);
    await changeDocument();
    const {files} = await site.build();
    for (const free of ['/index.html', '/llms.txt', paths.catalogue, paths.sample('softfail3')]) {
      const {status, text} = await get(free);
      if (status === 503) assert.notEqual(files.get(free), old.files.get(free));
      else assert.equal(text, old.files.get(free));
    }
    await gate.takeOver();
    for (const free of ['/index.html', paths.catalogue, paths.sample('softfail3')])
      assert.equal((await get(free)).text, files.get(free));
  });

  test('refuses a payment of the old price with the new payment requirements, and charges nothing', async () => {
    const payment = await signed(await challenge());
    await changePrice('$0.03');
    await site.build();
    await gate.takeOver();
    const refused = await pay(payment);
    assert.equal(refused.status, 402);
    assert.equal(decoded(refused, 'PAYMENT-REQUIRED').accepts[0]?.amount, '30000');
    assert.deepEqual(facilitator.submitted, []);
    assert.equal((await pay(await signed(await challenge()))).status, 200);
  });

  test('refuses a payment for the earlier document, and charges nothing', async () => {
    const payment = await signed(await challenge());
    const mute = await signed(await challenge(), {});
    await changeDocument();
    const {files} = await site.build();
    await gate.takeOver();
    const refused = await pay(payment);
    assert.equal(refused.status, 402);
    assert.equal(decoded(refused, 'PAYMENT-REQUIRED').error, 'document_changed');
    assert.deepEqual(facilitator.submitted, []);
    for (const good of [mute, await signed(await challenge())])
      assert.equal(await (await pay(good)).text(), files.get(path));
  });

  test('refuses such a payment also before it is loaded, and charges nothing', async () => {
    const payment = await signed(await challenge());
    await changeDocument();
    await site.build();
    assert.equal((await pay(payment)).status, 503);
    assert.deepEqual(facilitator.submitted, []);
  });

  test('completes a purchase that is being settled with the offered document', async () => {
    const {files} = await generationIn(site.root);
    facilitator.settle = 1_500;
    const buying = pay(await signed(await challenge()));
    await until(() => facilitator.submitted.length > 0);
    await changeDocument();
    await changePrice('$0.03');
    await site.build();
    await gate.takeOver();
    const bought = await buying;
    assert.equal(bought.status, 200);
    assert.equal(await bought.text(), files.get(path));
    assert.equal(facilitator.submitted.length, 1);
  });

  test('with another price does not charge a buyer who collects a paid document', async () => {
    const buyer = privateKeyToAccount(generatePrivateKey());
    const hungUp = new AbortController();
    facilitator.settle = 500;
    const cutOff = assert.rejects(pay(await signed(await challenge(), undefined, buyer), hungUp.signal));
    await until(() => facilitator.submitted.length > 0);
    hungUp.abort();
    await cutOff;
    await changePrice('$0.16');
    const {files} = await site.build();
    await gate.takeOver();
    const collected = await pay(await signed(await challenge(), undefined, buyer));
    assert.equal(collected.status, 200);
    assert.equal(await collected.text(), files.get(path));
    assert.equal(facilitator.submitted.length, 1);
  });

  test('can remove a product: 404', async () => {
    const payment = await signed(await challenge());
    await rm(join(site.root, 'data', product));
    await site.build();
    await gate.takeOver();
    for (const gone of [path, paths.sample('softfail3')]) assert.equal((await get(gone)).status, 404);
    assert.equal((await pay(payment)).status, 404);
    assert.deepEqual(facilitator.submitted, []);
  });

  test('can name another facilitator', async () => {
    const other = await startStandIn();
    await site.edit('site.json', value => Object.assign(value['payment'] as object, {facilitator_url: other.url}));
    await site.build();
    await gate.takeOver();
    assert.equal((await pay(await signed(await challenge()))).status, 200);
    assert.deepEqual([facilitator.submitted.length, other.submitted.length], [0, 1]);
    await other.stop();
  });

  test('is served from a folder that was moved', async () => {
    const [folder, release] = [join(site.root, 'public'), join(site.root, 'release')];
    await rename(folder, release);
    await symlink('release', folder);
    await gate.takeOver();
    await rm(folder);
    await rename(release, folder);
    await until(() => lines.length === 2);
    assert.equal((await get('/index.html')).status, 200);
  });

  test('that is faulty is not loaded until it is fixed', async () => {
    const {files} = await generationIn(site.root);
    const rules = await readFile(join(site.root, RULES_FILE), 'utf8');
    await writeFile(join(site.root, RULES_FILE), '{');
    await gate.takeOver();
    assert.match(lines[0] ?? '', /^The previous build is still served: paywall\/rules\/rules\.json is not JSON\. Run /);
    assert.equal((await get('/index.html')).text, files.get('/index.html'));
    assert.equal(await (await pay(await signed(await challenge()))).text(), files.get(path));
    await writeFile(join(site.root, RULES_FILE), rules);
    await gate.takeOver();
    assert.match(lines[1] ?? '', /^Serving the new build /);
  });

  test('is not loaded before it is complete, although the files so far are consistent', async () => {
    const whole = await readFile(join(site.root, CATALOGUE_FILE), 'utf8');
    const {files, ...catalogue} = JSON.parse(whole) as {files: {path: string}[]};
    await mkdir(join(site.root, STAGING), {recursive: true});
    await writeFile(join(site.root, JOURNAL), JSON.stringify(['public/index.html']));
    const standing = {...catalogue, files: files.filter(file => file.path !== '/index.html')};
    await writeFile(join(site.root, CATALOGUE_FILE), JSON.stringify(standing));
    await gate.takeOver();
    assert.match(lines[0] ?? '', /^The previous build is still served: a build is running in .*, or was interrupted/);
    assert.equal((await get('/')).status, 200);
    assert.equal((await get(paths.catalogue)).text, whole);
    await site.edit('products/webhook-bundle.json', value => (value['price'] = '$0.16'));
    const built = await site.build();
    await gate.takeOver();
    assert.match(lines[1] ?? '', /^Serving the new build /);
    assert.equal((await get(paths.catalogue)).text, built.files.get(paths.catalogue));
  });

  test('is not loaded with the rules of another build, which decide what a pass includes', async () => {
    const pass = {
      title: 'Pass',
      kind: 'bundle',
      price: '$0.03',
      bundle: ['softfail3'],
      next: 1,
      difference: 'adds one',
    };
    await writeFile(join(site.root, 'data/products/pass.json'), JSON.stringify(pass));
    await site.build();
    await gate.takeOver();
    const [rules, publicFolder] = [join(site.root, RULES_FILE), join(site.root, 'public')];
    await cp(rules, `${rules}.before`);
    await cp(publicFolder, `${publicFolder}.before`, {recursive: true});
    const freezes = join(site.root, 'data/sources/deny-list');
    await cp(join(freezes, '2026-05-01'), join(freezes, '2026-06-01'), {recursive: true});
    await site.edit('sources/deny-list/2026-06-01/datapackage.json', descriptor => {
      descriptor['as_of'] = '2026-06-01T12:00:00.000Z';
    });
    await site.build();
    const loaded = [];
    for (const [one, other] of [
      [rules, `${rules}.before`],
      [publicFolder, `${publicFolder}.before`],
    ] as const) {
      await exchange(one, other);
      await gate.takeOver();
      loaded.push(lines.at(-1)?.split('. Run ', 1)[0]);
      await exchange(one, other);
    }
    const fault = 'rules/rules.json and public/api/v1/index.json differ in the latest snapshot of pass';
    assert.deepEqual(loaded, Array(2).fill(`The previous build is still served: paywall/${fault}`));
    await gate.takeOver();
    assert.match(lines.at(-1) ?? '', /^Serving the new build /);
  });

  function changePrice(price: string): Promise<void> {
    return site.edit(product, value => (value['price'] = price));
  }

  function changeDocument(): Promise<void> {
    return site.edit(product, value => (value['difference'] = 'reports one class of the frozen list'));
  }

  async function get(target: string): Promise<{status: number; text: string}> {
    const response = await fetch(gate.url + target);
    return {status: response.status, text: await response.text()};
  }

  async function challenge(): Promise<Challenge & {extensions?: Record<string, unknown>}> {
    return decoded(await fetch(gate.url + path), 'PAYMENT-REQUIRED');
  }

  /** @param extensions those that a client echoes */
  async function signed(
    asked: Awaited<ReturnType<typeof challenge>>,
    extensions = asked.extensions,
    buyer = privateKeyToAccount(generatePrivateKey()),
  ): Promise<string> {
    return encoded(await forge(asked, buyer, {root: {extensions}}));
  }

  function pay(payment: string, signal: AbortSignal | null = null): Promise<Response> {
    return fetch(gate.url + path, {headers: {'PAYMENT-SIGNATURE': payment}, signal});
  }
});

async function exchange(one: string, other: string): Promise<void> {
  await rename(one, `${one}.aside`);
  await rename(other, one);
  await rename(`${one}.aside`, other);
}

async function until(holds: () => boolean): Promise<void> {
  for (let look = 0; !holds(); look++) {
    assert.ok(look < 1_000, 'it takes too long');
    await sleep(20);
  }
}
